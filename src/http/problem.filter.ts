import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from '../common/error-description';
import { ClientDisconnectedError } from '../resilience/client-disconnected.error';
import { namedWeight } from './accept';
import {
  PlainMessageException,
  PROBLEM_CONTENT_TYPE,
  PROBLEM_MEDIA_TYPE,
  ProblemException,
  problemOf,
  type ProblemDefinition,
} from './problem';
import { problemOfStatus, PROBLEMS } from './problems';
import { varyBy } from './response-headers';

/**
 * Turns exceptions into responses.
 *
 * | thrown | response |
 * |---|---|
 * | `PlainMessageException` | its status, `text/plain`; its problem where `Accept` names `application/problem+json` |
 * | `ProblemException` | its problem |
 * | another `HttpException` | the problem of its status |
 * | anything else | 500, opaque; logged without its message |
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    if (exception instanceof PlainMessageException) sendMessage(reply, request, exception);
    else sendProblem(reply, request, this.problemOf(exception));
  }

  private problemOf(exception: unknown): ProblemDefinition {
    if (exception instanceof ProblemException) return exception.definition;
    if (exception instanceof HttpException) return problemOfStatus(exception.getStatus());
    if (!(exception instanceof ClientDisconnectedError))
      this.logger.error(`Unexpected error: ${describeError(exception)}`);
    return PROBLEMS.internalError;
  }
}

/** The only responses that depend on `Accept`, in either form. */
function sendMessage(
  reply: FastifyReply,
  request: FastifyRequest,
  { definition, message }: PlainMessageException,
): void {
  varyBy(reply, 'Accept');
  if (namedWeight(request.headers.accept, PROBLEM_MEDIA_TYPE) > 0) sendProblem(reply, request, definition);
  else reply.status(definition.status).type('text/plain; charset=utf-8').send(message);
}

/** Sends a problem, and keeps its definition for the log. */
export function sendProblem(reply: FastifyReply, request: FastifyRequest, definition: ProblemDefinition): void {
  request.problem = definition;
  const origin = { id: request.id, url: request.originalUrl };
  // Serialised here: a response schema of the route describes its success only.
  reply
    .status(definition.status)
    .type(PROBLEM_CONTENT_TYPE)
    .serializer(JSON.stringify)
    .send(problemOf(definition, origin));
}
