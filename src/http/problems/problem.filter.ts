import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { describeError } from '../../common/errors';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import {
  MAX_FAULTS,
  PlainMessageException,
  PROBLEM_CONTENT_TYPE,
  ProblemException,
  problemOf,
  type ParameterFault,
  type ProblemDefinition,
} from './problem';
import { PROBLEMS } from './problem-definitions';

/**
 * Turns exceptions into problems. Message and members of an `HttpException` are sent; those of Fastify's errors and all
 * other exceptions are not, and messages of unexpected errors are not logged.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    if (exception instanceof PlainMessageException) {
      reply.status(exception.getStatus()).type('text/plain; charset=utf-8').send(exception.message);
    } else {
      sendProblem(reply, request, this.problemOf(exception, request));
    }
  }

  private problemOf(exception: unknown, request: FastifyRequest): ProblemDefinition {
    if (exception instanceof ProblemException) return exception.definition;
    const isHttp = exception instanceof HttpException;
    const isExpected = isHttp ? exception.getStatus() < 500 : exception instanceof ClientDisconnectedError;
    if (!isExpected) this.logger.error(`Unexpected error: ${describeError(exception)}`);
    if (!isHttp) return PROBLEMS.internalError;
    if (request.is404) return PROBLEMS.routeNotFound;
    return isOfFastify(exception) ? problemOfStatus(exception.getStatus()) : problemOfException(exception);
  }
}

const OF_STATUS: ReadonlyMap<number, ProblemDefinition> = new Map(
  Object.values(PROBLEMS)
    .toReversed()
    .map((problem) => [problem.status, problem]),
);

function problemOfStatus(status: number): ProblemDefinition {
  return OF_STATUS.get(status) ?? { ...(status < 500 ? PROBLEMS.badRequest : PROBLEMS.internalError), status };
}

/** Statuses whose detail fits every exception. */
const GENERAL: ReadonlySet<number> = new Set([400, 403, 404]);

function problemOfException(exception: HttpException): ProblemDefinition {
  const status = exception.getStatus();
  const ofStatus = problemOfStatus(status);
  const detail = (GENERAL.has(status) ? undefined : STATUS_CODES[status]) ?? ofStatus.detail;
  const response = exception.getResponse();
  const { message, ...others } = typeof response === 'string' ? { message: response } : (response as ResponseObject);
  const members = Object.fromEntries(Object.entries(others).filter(([name, value]) => !isOfNest(name, value)));
  if (Array.isArray(message)) return { ...ofStatus, detail, members, ...errorsOf(message) };
  const isOwn = typeof message === 'string' && message !== '' && !isDefaultMessage(message, status);
  return { ...ofStatus, detail: isOwn ? message : detail, members };
}

type ResponseObject = Readonly<Record<string, unknown>>;

function isOfNest(name: string, value: unknown): boolean {
  return name === 'statusCode' || (name === 'error' && typeof value === 'string');
}

function isOfFastify({ cause }: HttpException): boolean {
  return cause instanceof Error && cause.name === 'FastifyError';
}

/** Nest's messages: of an exception without one, and of a guard that returned `false`. */
function isDefaultMessage(message: string, status: number): boolean {
  return message.toLowerCase() === STATUS_CODES[status]?.toLowerCase() || message === 'Forbidden resource';
}

function errorsOf(messages: readonly unknown[]): Partial<ProblemDefinition> {
  const texts = messages.filter((message) => typeof message === 'string').slice(0, MAX_FAULTS);
  return texts.length === 0 ? {} : { detail: texts.join('; '), errors: texts.map(faultOf) };
}

/** A message of class-validator names its property before `must` or `should`. */
function faultOf(text: string): ParameterFault {
  const [, parameter, message] = /^(?:property )?([\w$.]+) ((?:must|should) .*)$/s.exec(text) ?? [];
  return parameter === undefined || message === undefined ? { parameter: '', message: text } : { parameter, message };
}

/** Sends a problem and keeps it for the log. */
export function sendProblem(reply: FastifyReply, request: FastifyRequest, definition: ProblemDefinition): void {
  request.problem = definition;
  // Serialised here: a response schema of the route describes its success only.
  reply
    .status(definition.status)
    .type(PROBLEM_CONTENT_TYPE)
    .serializer(JSON.stringify)
    .send(problemOf(definition, { id: request.id, url: request.originalUrl }));
}
