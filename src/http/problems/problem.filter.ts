import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, ServiceUnavailableException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { describeError, LoggedError } from '../../common/errors';
import { traceOf } from '../../observability/tracing/trace-context';
import { ClientDisconnectedError, UpstreamFailure } from '../../resilience/upstream-failure';
import {
  PlainMessageException,
  PROBLEM_MEDIA_TYPE,
  type ProblemDefinition,
  ProblemException,
  problemOf,
} from './problem-definitions';
import { problemOfException } from './problem-of-exception';

/**
 * For these the log line of the request is enough: the last one is that of a health check, which is asked every few
 * seconds. Any other exception with a 5xx is a defect, logged as an error.
 */
const EXPECTED = [ProblemException, UpstreamFailure, ClientDisconnectedError, ServiceUnavailableException];

/**
 * Responds to every exception of a request by {@link problemOfException}. Applications may extend this class, such as
 * for a reporting tool: their `catch` reports, then calls `super.catch(exception, host)`. Unexpected errors are logged
 * without their messages, which may hold data of clients; only a {@link LoggedError} is logged with it. Where there is
 * no HTTP request (messages, GraphQL), it returns nothing, so that Nest handles the exception as it does without
 * filters.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') return;
    const reply = replyOf(host);
    if (reply === undefined) return;
    if (exception instanceof PlainMessageException) {
      reply.status(exception.getStatus()).type('text/plain; charset=utf-8').send(exception.message);
      return;
    }
    const problem = problemOfException(exception, reply.request);
    const hasCause = exception instanceof UpstreamFailure || exception instanceof LoggedError;
    if (hasCause) reply.request.cause = exception.message;
    if (problem.status >= 500 && !EXPECTED.some((kind) => exception instanceof kind)) {
      const { id: requestId, system } = reply.request;
      const fields = { requestId, trace_id: traceOf(reply.request).traceId, system };
      this.logger.error(`Unexpected error: ${describeError(exception)}`, fields);
    }
    sendProblem(reply, problem);
  }
}

/**
 * The reply of Fastify. Where middleware of Nest has thrown, Nest passes the response of Node instead, on which
 * `observeRequests` has stored the reply.
 */
function replyOf(host: ArgumentsHost): FastifyReply | undefined {
  const response = host.switchToHttp().getResponse<FastifyReply | ServerResponse>();
  return 'raw' in response ? response : response.fastifyReply;
}

/** Sends a problem and stores it on the request for the log line. Does nothing where a response was sent already. */
export function sendProblem(reply: FastifyReply, definition: ProblemDefinition): void {
  if (reply.sent) return;
  const { status, retryAfterMs } = definition;
  reply.request.problem = definition;
  if (retryAfterMs !== undefined) reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  // A route that an application adds may have a response schema. Fastify would serialise the problem by it, too, and
  // drop its members.
  reply
    .status(status)
    .type(`${PROBLEM_MEDIA_TYPE}; charset=utf-8`)
    .serializer(JSON.stringify)
    .send(problemOf(definition, reply.request));
}
