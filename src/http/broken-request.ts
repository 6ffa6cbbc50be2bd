import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { frameworkKind } from './problem.filter';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem';
import { requestIdFrom } from './request-id';

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers what is no HTTP request with a problem, and closes its connection. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_ERROR[error.code ?? ''] ?? 400;
  const id = requestIdFrom(undefined);
  const body = JSON.stringify(problemOf(frameworkKind(status), { id, url: '' }));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      'Cache-Control: no-store',
      'Vary: Prefer',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
