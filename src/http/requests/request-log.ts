import type { Logger } from 'pino';
import type { CompletedRequest } from './completed-request';

/**
 * Writes one structured line per request.
 *
 * @param sampleRate the share of complete successes that are logged, from 0 to 1. They are chosen at random, because
 *   clients choose trace ids. All other requests are logged, as warnings where the response is a server error or not
 *   complete.
 */
export function logRequest(logger: Logger, request: CompletedRequest, sampleRate: number): void {
  const { method, route, status, requestId, traceId, spanId, completeness, problem } = request;
  const degraded = completeness !== undefined && !completeness.startsWith('complete');
  if (sampleRate < 1 && status < 400 && !degraded && Math.random() >= sampleRate) return;
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
