import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { continueTrace } from '../../observability/tracing/trace-context';
import type { CompletedRequest } from '../requests/completed-request';
import { PROBLEM_CONTENT_TYPE, problemOf, type ProblemDefinition } from '../problems/problem';
import { PROBLEMS } from '../problems/problem-definitions';
import { requestIdFrom } from '../requests/request-id';
import { API_SECURITY_HEADERS } from '../responses/response-headers';
import type { Connections } from './connections';

const PROBLEM_BY_ERROR: Readonly<Record<string, ProblemDefinition>> = {
  ERR_HTTP_REQUEST_TIMEOUT: PROBLEMS.requestTimeout,
  HPE_HEADER_OVERFLOW: PROBLEMS.headerFieldsTooLarge,
  HPE_INVALID_URL: PROBLEMS.invalidTarget,
};

/** The method of a request that could not be parsed. */
const UNKNOWN_METHOD = '_OTHER';

/** Responds to requests that never reach Fastify, and reports the responses to a listener. */
export class ClientErrors {
  private listener: (request: CompletedRequest) => void = () => undefined;

  constructor(private readonly connections: Pick<Connections, 'isResponding'>) {}

  /** Calls a listener for every response. */
  observe(listener: (request: CompletedRequest) => void): void {
    this.listener = listener;
  }

  /** Responds to bytes that Node cannot parse as a request with a problem, and closes the connection. */
  readonly handle = (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || this.connections.isResponding(socket)) {
      socket.destroy();
      return;
    }
    const problem = PROBLEM_BY_ERROR[error.code ?? ''] ?? PROBLEMS.badRequest;
    const id = requestIdFrom(undefined);
    socket.end(responseTo(problem, id), () => socket.destroy());
    const { traceId, spanId } = continueTrace(undefined);
    this.listener({
      method: UNKNOWN_METHOD,
      route: 'unmatched',
      status: problem.status,
      durationMs: 0,
      requestId: id,
      traceId,
      spanId,
      completeness: undefined,
      problem,
    });
  };
}

function responseTo(problem: ProblemDefinition, id: string): string {
  const body = JSON.stringify(problemOf(problem, { id, url: '' }));
  const headers = {
    'Content-Type': PROBLEM_CONTENT_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    Vary: 'Prefer',
    ...API_SECURITY_HEADERS,
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...head, '', body].join('\r\n');
}
