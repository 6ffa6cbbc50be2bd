import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NEVER, type Observable } from 'rxjs';
import samples from './sample-data.json';

/** The failures of the sandbox, by the identifier, order id, tracking number or search term that causes each (D30). */
const FAILURES: Readonly<Record<string, (reply: FastifyReply) => unknown>> = {
  'SIMULATE-500': (reply) => reply.status(500).send(),
  'SIMULATE-503': (reply) => reply.status(503).header('Retry-After', '1').send(),
  'SIMULATE-NOT-FOUND': (reply) => reply.status(404).send(),
  // To the service, a 501 is a failure like a 500: after twenty such attempts within ten seconds, its circuit for this
  // operation is open (D33). The documentation of the API lists this name as the way to try an open circuit.
  'SIMULATE-CIRCUIT-OPEN': (reply) => reply.status(501).send(),
  'SIMULATE-TIMEOUT': (reply) => reply.hijack(),
  'SIMULATE-RESET': (reply) => reply.hijack().request.socket.resetAndDestroy(),
  'SIMULATE-BAD-JSON': (reply) =>
    reply.type('application/json; charset=utf-8').send('{"Id":"SHP-000001","Items":[{"Id":'),
  'SIMULATE-BAD-SHAPE': (reply) => reply.send({ Unexpected: { Shape: true } }),
};

/** Responds with a failure instead of the route where a value of the request names one, and delays `SIMULATE-SLOW`. */
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
    // This delay is below the default deadline of an attempt, 2 seconds: the response is slow, but not a time-out.
    if (values.includes('SIMULATE-SLOW')) await new Promise((resolve) => setTimeout(resolve, 1_500).unref());
    return next.handle();
  }
}

/** The parameters whose value a record has to have: the service refuses another record (D18). */
const IDENTIFYING = ['Id', 'OrderId', 'TrackingNumber'];

/**
 * The records for the values `SIMULATE-ODD-RECORD` and `SIMULATE-SLOW`, returned instead of those that match, with the
 * requested identifier, order id and tracking number; `undefined` where the query has neither value.
 * `SIMULATE-ODD-RECORD` returns three: the first has values of a wrong type or form (D19), the second is valid, and the
 * third has no Id.
 */
export function simulatedRecords(query: object): readonly object[] | undefined {
  const values: unknown[] = Object.values(query);
  const isMalformed = values.includes('SIMULATE-ODD-RECORD');
  if (!isMalformed && !values.includes('SIMULATE-SLOW')) return undefined;
  const requested = Object.entries(query).filter(([name, value]) => IDENTIFYING.includes(name) && value !== undefined);
  const records: readonly object[] = isMalformed ? samples.malformedRecords : samples.firstRecords;
  return records.map((record) => ({ ...record, ...Object.fromEntries(requested) }));
}
