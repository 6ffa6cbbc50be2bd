import type { FastifyInstance } from 'fastify';
import type { CallTiming } from '../shipping/model/call-context';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where its time goes; absent unless clients are to be told. */
    timing?: CallTiming;
  }
}

/**
 * Gives every answer a `Server-Timing` (W3C): `total`, from the arrival of the request to the head of its answer, and
 * `external`, the part of it that was spent on the external system, waits and retries included. Milliseconds.
 */
export function tellTiming(fastify: FastifyInstance): void {
  fastify.decorateRequest('timing', undefined);
  fastify.addHook('onRequest', (request, _, done) => {
    request.timing = { externalMs: undefined };
    done();
  });
  fastify.addHook('onSend', ({ arrivedAt, timing }, reply, _, done) => {
    const parts = arrivedAt === undefined ? [] : [metric('total', performance.now() - arrivedAt)];
    if (timing?.externalMs !== undefined) parts.push(metric('external', timing.externalMs));
    if (parts.length > 0) reply.header('Server-Timing', parts.join(', '));
    done();
  });
}

function metric(name: string, milliseconds: number): string {
  return `${name};dur=${milliseconds.toFixed(1)}`;
}
