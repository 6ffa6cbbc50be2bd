import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NEVER, type Observable } from 'rxjs';
import samples from './sample-data.json';

/**
 * The failures that a client can ask for, by the identifier, order id, tracking number or search term that names them.
 */
const FAILURES: Readonly<Record<string, (reply: FastifyReply) => unknown>> = {
  'SIMULATE-500': (reply) => reply.status(500).send(),
  'SIMULATE-503': (reply) => reply.status(503).header('Retry-After', '1').send(),
  'SIMULATE-NOT-FOUND': (reply) => reply.status(404).send(),
  // The service retries no 501, so that each request is one failed call, and twenty of them open its circuit.
  'SIMULATE-CIRCUIT-OPEN': (reply) => reply.status(501).send(),
  'SIMULATE-TIMEOUT': (reply) => reply.hijack(),
  'SIMULATE-RESET': (reply) => reply.hijack().request.socket.resetAndDestroy(),
  'SIMULATE-BAD-JSON': (reply) =>
    reply.type('application/json; charset=utf-8').send('{"Id":"SHP-000001","Items":[{"Id":'),
  'SIMULATE-BAD-SHAPE': (reply) => reply.send({ Unexpected: { Shape: true } }),
};

/** Responds instead of the route where a value of the request names a failure, and late where one is `SIMULATE-SLOW`. */
@Injectable()
export class ErrorsOnDemand implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { params, query } = http.getRequest<{ params: object; query: object }>();
    const values: unknown[] = Object.values({ ...params, ...query });
    const [, fail] = Object.entries(FAILURES).find(([name]) => values.includes(name)) ?? [];
    if (fail !== undefined) {
      fail(http.getResponse());
      return NEVER;
    }
    // The default deadline of an attempt is 2 seconds: the response is slow, but arrives in time.
    if (values.includes('SIMULATE-SLOW')) await new Promise((resolve) => setTimeout(resolve, 1_500).unref());
    return next.handle();
  }
}

/**
 * The records that a value of the query names instead of those that match it; `undefined` where none does. Of the malformed
 * ones, the first has values of a wrong type or form (D19), the second is sound, and the third has no Id.
 */
export function simulatedRecords(query: object): readonly object[] | undefined {
  const values: unknown[] = Object.values(query);
  if (values.includes('SIMULATE-ODD-RECORD')) return samples.malformedRecords;
  return values.includes('SIMULATE-SLOW') ? samples.firstRecords : undefined;
}
