import type { Logger } from 'pino';
import type { CompletedRequest } from './completed-request';

/** Writes one structured line per request, a warning where the response is a server error or not complete. */
export function logRequest(logger: Logger, request: CompletedRequest): void {
  const { method, route, status, requestId, traceId, spanId, completeness, problem } = request;
  const degraded = completeness !== undefined && !completeness.startsWith('complete');
  const durationMs = Math.round(request.durationMs * 1000) / 1000;
  const line = {
    method,
    route,
    status,
    requestId,
    trace_id: traceId,
    span_id: spanId,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    durationMs,
  };
  if (status >= 500 || degraded) logger.warn(line, 'request');
  else logger.info(line, 'request');
}
