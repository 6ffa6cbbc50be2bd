import type { Logger } from 'pino';
import type { CompletedRequest } from './completed-request';

/** Writes one structured line per request, a warning where the response is a server error or not complete. */
export function logRequest(logger: Logger, request: CompletedRequest): void {
  const isDegraded = request.completeness?.startsWith('complete') === false;
  logger[request.status >= 500 || isDegraded ? 'warn' : 'info'](request, 'request');
}
