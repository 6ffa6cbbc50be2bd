import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from '../../common/errors';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import {
  MAX_FAULTS,
  PlainMessageException,
  PROBLEM_MEDIA_TYPE,
  ProblemException,
  problemOf,
  type ParameterFault,
  type ProblemDefinition,
} from './problem';
import { PROBLEMS, STATUS_PROBLEMS } from './problem-definitions';

/**
 * Turns exceptions into problems. Message and members of an `HttpException` are sent; those of Fastify's errors and all
 * other exceptions are not, and messages of unexpected errors are not logged.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (exception instanceof PlainMessageException) {
      reply.status(exception.getStatus()).type('text/plain; charset=utf-8').send(exception.message);
    } else {
      sendProblem(reply, this.problemOf(exception, reply.request));
    }
  }

  private problemOf(exception: unknown, request: FastifyRequest): ProblemDefinition {
    if (exception instanceof ProblemException) return exception.definition;
    const isHttp = exception instanceof HttpException;
    const isExpected = isHttp ? exception.getStatus() < 500 : exception instanceof ClientDisconnectedError;
    if (!isExpected) this.logger.error(`Unexpected error: ${describeError(exception)}`);
    if (!isHttp) return PROBLEMS.internalError;
    return request.is404 ? PROBLEMS.routeNotFound : problemOfException(exception);
  }
}

function problemOfException(exception: HttpException): ProblemDefinition {
  const status = exception.getStatus();
  const others = status < 500 ? PROBLEMS.badRequest : PROBLEMS.internalError;
  const ofStatus = Object.values(STATUS_PROBLEMS).find((problem) => problem.status === status) ?? { ...others, status };
  if (exception.cause instanceof Error && exception.cause.name === 'FastifyError') return ofStatus;
  const response = exception.getResponse();
  const { message, ...rest } = typeof response === 'string' ? { message: response } : (response as ResponseObject);
  const members = Object.fromEntries(Object.entries(rest).filter(([name, value]) => !isOfNest(name, value)));
  if (Array.isArray(message)) return { ...ofStatus, members, ...errorsOf(message) };
  return { ...ofStatus, members, ...(typeof message === 'string' && message !== '' && { detail: message }) };
}

type ResponseObject = Readonly<Record<string, unknown>>;

function isOfNest(name: string, value: unknown): boolean {
  return name === 'statusCode' || (name === 'error' && typeof value === 'string');
}

function errorsOf(messages: readonly unknown[]): Partial<ProblemDefinition> {
  const texts = messages.filter((message) => typeof message === 'string').slice(0, MAX_FAULTS);
  return texts.length === 0 ? {} : { detail: texts.join('; '), errors: texts.map(faultOf) };
}

/** A message of class-validator names its property before `must` or `should`. */
function faultOf(text: string): ParameterFault {
  const [, parameter = '', message = text] = /^(?:property )?([\w$.]+) ((?:must|should) .*)$/s.exec(text) ?? [];
  return { parameter, message };
}

/** Sends a problem and keeps it for the log. */
export function sendProblem(reply: FastifyReply, definition: ProblemDefinition): void {
  const { request } = reply;
  const { id, originalUrl, publicBasePath } = request;
  request.problem = definition;
  // Serialised here: a response schema of the route describes its success only.
  reply
    .status(definition.status)
    .type(`${PROBLEM_MEDIA_TYPE}; charset=utf-8`)
    .serializer(JSON.stringify)
    .send(problemOf(definition, { id, url: originalUrl, publicBasePath }));
}
