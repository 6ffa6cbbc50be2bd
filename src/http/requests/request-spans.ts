import { context, trace, type Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { traceOf } from '../../observability/tracing/trace-context';
import { CAUSE_ATTRIBUTE, failSpan, isTracedByOthers, traceOfSpan, tracing } from '../../observability/tracing/tracing';
import { isManagementRequest, routeOf } from '../paths';

/** Runs each request in a span where tracing is preloaded; where somebody else traces, its span is that of the request. */
export function traceRequests(fastify: FastifyInstance): void {
  const traces = tracing();
  if (isTracedByOthers()) {
    fastify.addHook('onRequest', (request, _, done) => {
      const span = trace.getActiveSpan();
      if (span !== undefined) request.trace = traceOfSpan(span);
      done();
    });
  }
  if (traces === undefined) return;
  fastify.addHook('onRequest', (request, _, done) => {
    if (isManagementRequest(request)) {
      done();
      return;
    }
    const incoming = traceOf(request);
    const span = traces.startRequest(request.method, routeOf(request).url, incoming);
    request.span = span;
    request.trace = traceOfSpan(span, incoming.parentId);
    context.with(trace.setSpan(context.active(), span), done);
  });
}

/** Ends the span of a request. */
export function endSpan(span: Span, status: number, completeness: string | undefined, cause?: string): void {
  const [level, reason] = completeness?.split(';reason=') ?? [];
  span.setAttributes({
    'http.response.status_code': status,
    'shipping.completeness': level,
    'shipping.completeness.reason': reason,
    [CAUSE_ATTRIBUTE]: cause,
  });
  if (status >= 500) failSpan(span, String(status));
  span.end();
}
