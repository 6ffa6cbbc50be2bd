import type { FastifyInstance } from 'fastify';

/** What a request took besides the service itself, in milliseconds; added up where it took several calls. */
export interface Timings {
  externalMs?: number;
}

/**
 * Adds `Server-Timing` (W3C) with milliseconds: `total` from the arrival of the request to the head of its response, and
 * `external` where the external system was called. Gives each request the `timings` that calls are added to.
 */
export function addServerTiming(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _, done) => {
    request.timings = {};
    done();
  });
  fastify.addHook('onSend', ({ arrivedAt, timings }, reply, _, done) => {
    const metrics = { total: performance.now() - arrivedAt, external: timings?.externalMs };
    const known = Object.entries(metrics).filter(([, ms]) => ms !== undefined);
    reply.header('Server-Timing', known.map(([name, ms]) => `${name};dur=${ms?.toFixed(1)}`).join(', '));
    done();
  });
}
