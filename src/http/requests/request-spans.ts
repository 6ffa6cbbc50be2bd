import { context, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceOf } from '../../observability/tracing/trace-context';
import { failSpan, traceOfSpan, tracing } from '../../observability/tracing/tracing';
import { isManagementRequest } from '../paths';
import { describeDisconnect, describeRequest, type CompletedRequest } from './completed-request';

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
    const incoming = traceOf(request);
    const span = traces.startRequest(request.method, request.routeOptions.url, incoming);
    request.span = span;
    request.trace = traceOfSpan(span, incoming.parentId);
    context.with(trace.setSpan(context.active(), span), done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    endSpan(request, describeRequest(request, reply));
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    endSpan(request, describeDisconnect(request));
    done();
  });
}

function endSpan({ span }: FastifyRequest, { status, completeness }: CompletedRequest): void {
  const [level, reason] = completeness?.split(';reason=') ?? [];
  span?.setAttributes({
    'http.response.status_code': status,
    'shipping.completeness': level,
    'shipping.completeness.reason': reason,
  });
  if (span !== undefined && status >= 500) failSpan(span, String(status));
  span?.end();
}
