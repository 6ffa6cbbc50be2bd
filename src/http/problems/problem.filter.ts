import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { logUnexpected, statusOf } from '../../common/errors';
import { causesOf, ClientDisconnectedError, UpstreamFailure } from '../../resilience/upstream-failure';
import {
  failureProblem,
  MAX_FAULTS,
  type ParameterFault,
  PlainMessageException,
  PROBLEM_MEDIA_TYPE,
  type ProblemDefinition,
  ProblemException,
  problemOf,
  PROBLEMS,
  REASONS,
} from './problem-definitions';

/** The log line of the request says enough of these exceptions: they are no defects of the service or of a team. */
const EXPECTED = [ProblemException, UpstreamFailure, ClientDisconnectedError];

/**
 * Responds to every exception of a request by {@link problemOfException}. Applications may extend this class, such as
 * for a reporting tool: their `catch` reports, then calls `super.catch(exception, host)`. Other contexts than
 * HTTP are left to Nest.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') return;
    const response = host.switchToHttp().getResponse<FastifyReply | ServerResponse>();
    // Where middleware of Nest has thrown, Nest passes the response of Node, on which `beginRequests` has stored the
    // reply.
    const reply = 'raw' in response ? response : response.fastifyReply;
    if (reply === undefined) return;
    if (exception instanceof PlainMessageException) {
      reply.status(exception.getStatus()).type('text/plain; charset=utf-8').send(exception.message);
      return;
    }
    const problem = problemOfException(exception, reply.request);
    reply.request.record.causes = causesOf(exception instanceof ProblemException ? exception.cause : exception);
    // A health check, which is asked every few seconds, throws a 503 that has no cause.
    const isHealth = exception instanceof HttpException && problem.status === 503 && exception.cause === undefined;
    if (problem.status >= 500 && !isHealth && !EXPECTED.some((kind) => exception instanceof kind)) {
      const { id, record } = reply.request;
      logUnexpected(this.logger, exception, { requestId: id, trace_id: record.trace.traceId });
    }
    sendProblem(reply, problem);
  }
}

/** Sends a problem and stores it on the request for the log line. Does nothing where a response was sent already. */
export function sendProblem(reply: FastifyReply, definition: ProblemDefinition): void {
  if (reply.sent) return;
  const { status, retryAfterMs } = definition;
  reply.request.record.problem = definition;
  if (retryAfterMs !== undefined) reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  // A route that an application adds may have a response schema. Fastify would serialise the problem by it, too, and
  // drop its members.
  reply
    .status(status)
    .type(`${PROBLEM_MEDIA_TYPE}; charset=utf-8`)
    .serializer(JSON.stringify)
    .send(problemOf(definition, reply.request));
}

/**
 * What becomes of each kind of exception; the first line that fits decides. `docs/contract.md` and `docs/extending.md`
 * say the same. (`PlainMessageException` is the only exception that is no problem: `ProblemFilter` sends its text.)
 *
 * | exception | problem |
 * |---|---|
 * | `ProblemException` | the one that it has |
 * | `UpstreamFailure` | `external-system-failed` with its reason: 500; with `Prefer: handling=strict` 502, 503 or 504; for `internal` it is `internal-error` |
 * | one with 404 for a path without a route | `route-not-found` |
 * | an error of Fastify | that of its status, without its message, which may quote the request |
 * | `HttpException` | that of its status, with message and members of its response |
 * | an error of `http-errors`, an object with a status and a message | that of its status, with the message where it may be shown |
 * | everything else | `internal-error`, without its message |
 */
function problemOfException(exception: unknown, request: FastifyRequest): ProblemDefinition {
  if (exception instanceof ProblemException) return exception.definition;
  if (exception instanceof UpstreamFailure) return problemOfFailure(exception, request.strict);
  const status = statusOf(exception);
  if (status === undefined) return PROBLEMS.internalError;
  if (request.is404 && status === 404) return PROBLEMS.routeNotFound;
  if (isOfFastify(exception)) return problemOfStatus(status);
  if (exception instanceof HttpException) return problemOfHttpException(exception);
  // `http-errors` sets `expose` to `false` where the message must not reach clients, by default for 5xx.
  const { message, expose } = exception as { message: string; expose?: boolean };
  return { ...problemOfStatus(status), ...(expose !== false && { detail: message }) };
}

function problemOfFailure(failure: UpstreamFailure, strict: boolean): ProblemDefinition {
  const { reason, pauseMs, retryAfterMs } = failure;
  if (reason === 'internal') return PROBLEMS.internalError;
  // A call that is answered by asking for a pause fails as those do that are refused during the pause (D21).
  const ofStrict = pauseMs === undefined ? REASONS[reason].strictStatus : 503;
  const status = strict ? ofStrict : PROBLEMS.externalSystemFailed.status;
  const waitMs = status === 503 ? (pauseMs ?? retryAfterMs) : undefined;
  return { ...failureProblem(reason), status, retryAfterMs: waitMs };
}

function problemOfStatus(status: number): ProblemDefinition {
  const general = Object.values(PROBLEMS).find((problem) => problem.isGeneral && problem.status === status);
  return general ?? { ...(status < 500 ? PROBLEMS.badRequest : PROBLEMS.internalError), status };
}

/** Whether an error comes from Fastify. Nest wraps such errors in an `HttpException` that has them as `cause`. */
function isOfFastify(exception: unknown): boolean {
  const error = exception instanceof HttpException ? exception.cause : exception;
  return error instanceof Error && error.name === 'FastifyError';
}

function problemOfHttpException(exception: HttpException): ProblemDefinition {
  const status = exception.getStatus();
  const { message, statusCode, error, ...members } = responseOf(exception);
  // Nest adds the status (`statusCode`) and its phrase (`error`) to a response. The problem already has both as
  // `status` and `title`; only other values, which the code that threw the exception has set, become members.
  const isPhrase = String(error).toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  const own = { statusCode: statusCode === status ? undefined : statusCode, error: isPhrase ? undefined : error };
  const problem = { ...problemOfStatus(status), members: { errorCode: exception.errorCode, ...members, ...own } };
  if (Array.isArray(message)) return { ...problem, ...errorsOf(message) };
  return typeof message === 'string' && message !== '' ? { ...problem, detail: message } : problem;
}

/**
 * The members of the response that an exception was made with. As in Nest, a text or an array is its message, and an
 * `Error` is not sent.
 */
function responseOf(exception: HttpException): Readonly<Record<string, unknown>> {
  const response: unknown = exception.getResponse();
  if (response instanceof Error) return {};
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return { message: response };
  return response as Readonly<Record<string, unknown>>;
}

function errorsOf(messages: readonly unknown[]): Partial<ProblemDefinition> {
  const texts = messages.flatMap(textsOf).slice(0, MAX_FAULTS);
  return texts.length === 0 ? {} : { detail: texts.join('; '), errors: texts.map(faultOf) };
}

/** A text, or those of an error of class-validator, which the `exceptionFactory` of a team may pass on whole. */
function textsOf(message: unknown): string[] {
  if (typeof message === 'string') return [message];
  const { constraints = {}, children = [] } = Object(message) as Partial<ValidationError>;
  return [...Object.values(constraints), ...children.flatMap(textsOf)];
}

/** A message of class-validator names its property before `must` or `should`. */
function faultOf(text: string): ParameterFault {
  const [, parameter = '', message = text] = /^(?:property )?([\w$.]+) ((?:must|should) .*)$/s.exec(text) ?? [];
  return { parameter, message };
}
