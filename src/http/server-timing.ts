import type { FastifyInstance } from 'fastify';

/** A metric of `Server-Timing` (W3C). */
export function timingMetric(name: string, milliseconds: number): string {
  return `${name};dur=${milliseconds.toFixed(1)}`;
}

/**
 * Adds `total` to the `Server-Timing` header: milliseconds from the arrival of the request to the head of its response.
 * Metrics that the route has set follow it.
 */
export function addServerTiming(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ arrivedAt }, reply, _, done) => {
    const total = timingMetric('total', performance.now() - arrivedAt);
    const others = reply.getHeader('Server-Timing');
    reply.header('Server-Timing', others === undefined ? total : `${total}, ${String(others)}`);
    done();
  });
}
