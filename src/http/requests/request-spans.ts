import type { FastifyInstance } from 'fastify';
import { traceOf } from '../../observability/tracing/trace-context';
import { tracing } from '../../observability/tracing/tracing';
import { describeDisconnect, describeRequest } from './completed-request';
import { isManagementRequest } from '../paths';

/** Starts a span for each request where tracing is preloaded, and runs the request in the context of its span. */
export function traceRequests(fastify: FastifyInstance): void {
  const traces = tracing();
  if (traces === undefined) return;
  fastify.addHook('onRequest', (request, _, done) => {
    // Probes and scrapes are regular: their spans would hide the others.
    if (isManagementRequest(request)) {
      done();
      return;
    }
    const span = traces.startRequest(request.method, request.routeOptions.url, traceOf(request));
    request.span = span;
    request.trace = span.trace;
    span.run(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    request.span?.end(describeRequest(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.span?.end(describeDisconnect(request));
    done();
  });
}
