import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestSpan, Tracing } from '../telemetry/open-telemetry';
import { tracing } from '../telemetry/tracing';
import { isManagement } from './paths';
import { describe, describeDeparture } from './request-log';
import { traceOf } from './trace-context';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | null;
  }
}

/**
 * Gives requests spans where tracing is preloaded, and everything that belongs to one the context of its span. Its hooks
 * have to come first.
 */
export function traceRequests(fastify: FastifyInstance): void {
  const traces = tracing();
  if (traces === undefined) return;
  fastify.decorateRequest('span', null);
  fastify.addHook('onRequest', (request, _, done) => {
    // They come by the clock; spans of theirs would only be in the way.
    if (isManagement(request)) done();
    else startSpan(request, traces).run(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    request.span?.end(describe(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.span?.end(describeDeparture(request));
    done();
  });
}

/** The span of a request that no hook sees, because no route could be looked up for it. */
export function traceUnroutable(request: FastifyRequest, reply: FastifyReply): void {
  const traces = tracing();
  if (traces !== undefined) startSpan(request, traces).end(describe(request, reply));
}

function startSpan(request: FastifyRequest, traces: Tracing): RequestSpan {
  const span = traces.startRequest(request.method, request.routeOptions.url, traceOf(request));
  request.span = span;
  request.trace = span.trace;
  return span;
}
