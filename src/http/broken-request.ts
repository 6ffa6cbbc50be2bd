import type { Socket } from 'node:net';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { frameworkKind } from './problem.filter';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem';
import { requestIdFrom } from './request-id';
import { API_SECURITY_HEADERS } from './security-headers';

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers what is no HTTP request with a problem, and closes its connection. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusal(STATUS_BY_ERROR[error.code ?? ''] ?? 400, requestIdFrom(undefined), '');
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...head, '', body];
  socket.end(lines.join('\r\n'), () => socket.destroy());
}

/** Whether a whole request is being answered: what follows it must not get an answer that would be taken for its. */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  const response = socket._httpMessage;
  return response != null && (response.headersSent || response.req.complete);
}

/** Answers an `Expect` that nobody knows how to meet. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = refusal(417, requestIdFrom(request.headers['x-request-id']), request.url ?? '');
  response.writeHead(status, headers).end(body);
}

function refusal(
  status: number,
  id: string,
  url: string,
): { status: number; headers: Record<string, string>; body: string } {
  const body = JSON.stringify(problemOf(frameworkKind(status), { id, url }));
  const headers = {
    'Content-Type': PROBLEM_CONTENT_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    Vary: 'Prefer',
    ...API_SECURITY_HEADERS,
    Connection: 'close',
  };
  return { status, headers, body };
}
