import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { continueTrace } from '../observability/tracing/trace-context';
import type { CompletedRequest } from './completed-request';
import { PROBLEM_CONTENT_TYPE, problemOf, type ProblemDefinition } from './problem';
import { PROBLEMS } from './problems';
import { requestIdFrom } from './request-id';
import { API_SECURITY_HEADERS } from './security-headers';

const PROBLEM_BY_ERROR: Readonly<Record<string, ProblemDefinition>> = {
  ERR_HTTP_REQUEST_TIMEOUT: PROBLEMS.requestTimeout,
  HPE_HEADER_OVERFLOW: PROBLEMS.headerFieldsTooLarge,
};

/** The method of a request that could not be parsed. */
const UNKNOWN_METHOD = '_OTHER';

/** Responds to requests that never reach Fastify, and reports the responses to a listener. */
export class ClientErrors {
  private listener: (request: CompletedRequest) => void = () => undefined;

  /** Calls a listener for every response. */
  observe(listener: (request: CompletedRequest) => void): void {
    this.listener = listener;
  }

  /** Responds to bytes that Node cannot parse as a request with a problem, and closes the connection. */
  readonly handle = (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) {
      socket.destroy();
      return;
    }
    const problem = PROBLEM_BY_ERROR[error.code ?? ''] ?? PROBLEMS.badRequest;
    const requestId = requestIdFrom(undefined);
    const { headers, body } = problemResponse(problem, requestId, '');
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const lines = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...head, '', body];
    socket.end(lines.join('\r\n'), () => socket.destroy());
    this.report(problem, requestId, UNKNOWN_METHOD, undefined);
  };

  /** Responds to an unknown `Expect` header. */
  readonly handleUnknownExpectation = (request: IncomingMessage, response: ServerResponse): void => {
    const problem = PROBLEMS.expectationFailed;
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const { headers, body } = problemResponse(problem, requestId, request.url ?? '');
    response.writeHead(problem.status, headers).end(body);
    this.report(problem, requestId, request.method ?? UNKNOWN_METHOD, request.headers.traceparent);
  };

  private report(
    problem: ProblemDefinition,
    requestId: string,
    method: string,
    traceparent: string | string[] | undefined,
  ): void {
    const { traceId, spanId } = continueTrace(traceparent);
    const { status } = problem;
    const ids = { requestId, traceId, spanId };
    this.listener({ method, route: 'unmatched', status, durationMs: 0, ...ids, completeness: undefined, problem });
  }
}

/** Whether a complete request has no response yet: a second response would be taken for its response. */
function isResponding(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  const response = socket._httpMessage;
  return response != null && (response.headersSent || response.req.complete);
}

function problemResponse(
  problem: ProblemDefinition,
  id: string,
  url: string,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(problemOf(problem, { id, url }));
  const headers = {
    'Content-Type': PROBLEM_CONTENT_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    Vary: 'Prefer',
    ...API_SECURITY_HEADERS,
    Connection: 'close',
  };
  return { headers, body };
}
