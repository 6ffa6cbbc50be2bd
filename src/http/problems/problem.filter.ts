import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { describeError } from '../../common/errors';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import { varyBy } from '../responses/response-headers';
import { namedWeight } from './accept';
import {
  MAX_FAULTS,
  PlainMessageException,
  PROBLEM_CONTENT_TYPE,
  PROBLEM_MEDIA_TYPE,
  ProblemException,
  problemOf,
  type ParameterFault,
  type ProblemDefinition,
} from './problem';
import { problemOfStatus, PROBLEMS } from './problem-definitions';

/** Statuses whose detail fits every exception. */
const GENERAL: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * Turns exceptions into responses.
 *
 * | thrown | response |
 * |---|---|
 * | `PlainMessageException` | its status, `text/plain`; its problem where `Accept` names `application/problem+json` |
 * | `ProblemException` | its problem |
 * | another `HttpException`, 4xx | the problem of its status; its message is the detail, messages in an array are `errors` |
 * | another `HttpException`, 5xx; no route; an error of Fastify | the problem of its status, opaque; a 5xx is logged without its message |
 * | anything else | 500, opaque; logged without its message, unless it is a `UsageError` |
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    if (exception instanceof PlainMessageException) sendMessage(reply, request, exception);
    else sendProblem(reply, request, this.problemOf(exception, request));
  }

  private problemOf(exception: unknown, request: FastifyRequest): ProblemDefinition {
    if (exception instanceof ProblemException) return exception.definition;
    const isHttp = exception instanceof HttpException;
    const isExpected = isHttp ? exception.getStatus() < 500 : exception instanceof ClientDisconnectedError;
    if (!isExpected) this.logger.error(`Unexpected error: ${describeError(exception)}`);
    return isHttp ? problemOfException(exception, request) : PROBLEMS.internalError;
  }
}

/** The problem of the status, with the messages of the exception where they are meant for clients. */
function problemOfException(exception: HttpException, request: FastifyRequest): ProblemDefinition {
  const ofStatus = problemOfStatus(exception.getStatus());
  if (ofStatus.status >= 500 || request.is404 || isOfFastify(exception)) return ofStatus;
  const problem = { ...ofStatus, ...ofRoute(ofStatus.status) };
  const response = exception.getResponse();
  const message: unknown = typeof response === 'string' ? response : (response as { message?: unknown }).message;
  if (Array.isArray(message)) return withErrors(problem, message, request);
  const isOwn = typeof message === 'string' && message !== '' && !isDefaultMessage(message, problem.status);
  return isOwn ? { ...problem, detail: message } : problem;
}

/** What differs where a route throws the status: most details are about requests that the service refuses itself. */
function ofRoute(status: number): Partial<ProblemDefinition> {
  if (status === PROBLEMS.notFound.status) return PROBLEMS.notFound;
  const detail = STATUS_CODES[status];
  return GENERAL.has(status) || detail === undefined ? {} : { detail };
}

/** Nest turns errors of Fastify into exceptions. Their messages are about its internals. */
function isOfFastify({ cause }: HttpException): boolean {
  return cause instanceof Error && cause.name === 'FastifyError';
}

/** Whether Nest wrote the message: that of an exception without one, or of a guard that returned `false`. */
function isDefaultMessage(message: string, status: number): boolean {
  return message.toLowerCase() === STATUS_CODES[status]?.toLowerCase() || message === 'Forbidden resource';
}

function withErrors(
  problem: ProblemDefinition,
  messages: readonly unknown[],
  request: FastifyRequest,
): ProblemDefinition {
  const texts = messages.filter((message) => typeof message === 'string').slice(0, MAX_FAULTS);
  if (texts.length === 0) return problem;
  const [, query] = request.originalUrl.split('?', 2);
  const sent = new URLSearchParams(query);
  return { ...problem, detail: texts.join('; '), errors: texts.map((text) => faultOf(text, sent)) };
}

/** What class-validator writes before the name of a property, behind the path of its object. */
const PHRASES = /^((?:[\w$]+\.)*)(?:(each value) in )?(?:nested property |property (?=\S+ should not exist$))?/;

/**
 * A message begins with a parameter where its first word is one that was sent, or is followed by `must` or `should`, as in
 * the messages of class-validator.
 */
function faultOf(message: string, sent: URLSearchParams): ParameterFault {
  const [phrases = '', path = '', each] = PHRASES.exec(message) ?? [];
  const text = path + message.slice(phrases.length);
  const [, parameter = '', rest = ''] = /^([A-Za-z_$][\w$]*(?:\.[\w$]+)*) (.+)$/s.exec(text) ?? [];
  const begins = parameter !== '' && (/^(must|should) /.test(rest) || sent.has(parameter));
  return begins ? { parameter, message: each === undefined ? rest : `${each} ${rest}` } : { parameter: '', message };
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
