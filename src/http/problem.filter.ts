import { Catch, HttpException, HttpStatus, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerLeft } from '../shipping/gateway/policy/caller-left';
import type { IncompletenessReason } from '../shipping/model/completeness';
import { ExternalSystemFailure } from '../shipping/model/external-system-failure';
import { setCommonHeaders } from './common-headers';
import { withoutMessage } from './error-description';
import { PlainMessageException } from './parameters/bad-parameters';
import { prefersStrictHandling } from './prefer';
import { PROBLEM_CONTENT_TYPE, ProblemException, problemOf, type ProblemKind } from './problem';

/** What a strict caller gets for each way the external system fails. */
const STRICT_STATUS: Readonly<Record<Exclude<IncompletenessReason, 'internal'>, HttpStatus>> = {
  'upstream-timeout': HttpStatus.GATEWAY_TIMEOUT,
  'upstream-error': HttpStatus.BAD_GATEWAY,
  'bad-reply': HttpStatus.BAD_GATEWAY,
  'upstream-unreachable': HttpStatus.SERVICE_UNAVAILABLE,
  'circuit-open': HttpStatus.SERVICE_UNAVAILABLE,
  saturated: HttpStatus.SERVICE_UNAVAILABLE,
};

/**
 * The one place where errors become answers.
 *
 * | thrown | answer |
 * |---|---|
 * | `PlainMessageException` | its status, `text/plain` |
 * | `ProblemException` | its status, code, detail and bad parameters |
 * | `ExternalSystemFailure` | 500; for strict callers 504, 502 or 503 by its reason |
 * | another `HttpException` (the framework's) | its status, with the standard phrase |
 * | anything else | 500, opaque; logged without its message |
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (exception instanceof PlainMessageException) {
      reply.status(exception.getStatus()).type('text/plain; charset=utf-8').send(exception.message);
      return;
    }
    if (exception instanceof ExternalSystemFailure) advertiseRetry(reply, exception, request);
    sendProblem(reply, request, this.kindOf(exception, request));
  }

  private kindOf(exception: unknown, request: FastifyRequest): ProblemKind {
    if (exception instanceof ProblemException) return exception.kind;
    if (exception instanceof ExternalSystemFailure) return failureKind(exception, request);
    if (exception instanceof HttpException) return frameworkKind(exception.getStatus());
    if (!(exception instanceof CallerLeft)) this.logger.error(`Unexpected error: ${withoutMessage(exception)}`);
    return {
      status: HttpStatus.INTERNAL_SERVER_ERROR,
      code: 'internal-error',
      detail: 'The service failed to answer this request.',
    };
  }
}

/** Sends a problem, with the headers of every answer; the line of the log tells it too. */
export function sendProblem(reply: FastifyReply, request: FastifyRequest, kind: ProblemKind): void {
  setCommonHeaders(request, reply);
  request.problem = kind;
  // Serialised here: a reply schema of the route describes its success only.
  reply.status(kind.status).type(PROBLEM_CONTENT_TYPE).serializer(JSON.stringify).send(problemOf(kind, request));
}

/** What is said of each status that a framework decides. */
const FRAMEWORK_PROBLEMS: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  400: ['bad-request', 'The request is malformed.'],
  403: ['forbidden', 'This path is not served.'],
  404: ['route-not-found', 'There is nothing at this path.'],
  405: ['method-not-allowed', 'This path does not support the method; see Allow.'],
  408: ['request-timeout', 'The request took too long to arrive.'],
  417: ['expectation-failed', 'The expectation of this request cannot be met.'],
  413: ['content-too-large', 'The request carries too much.'],
  414: ['uri-too-long', 'The request line is too long.'],
  415: ['unsupported-media-type', 'Requests carry no body here.'],
  431: ['header-fields-too-large', 'The request line and headers are too long.'],
  503: ['overloaded', 'The service is too busy to answer; try again shortly.'],
};

/** The problem for a status that a framework decided, in words that repeat nothing of the request. */
export function frameworkKind(status: number): ProblemKind {
  const [code, detail] =
    FRAMEWORK_PROBLEMS[status] ?? (status < 500 ? ['bad-request', 'The request is not acceptable.'] : []);
  return { status, code: code ?? 'internal-error', detail: detail ?? 'The service failed to answer this request.' };
}

function failureKind({ reason }: ExternalSystemFailure, request: FastifyRequest): ProblemKind {
  return {
    status: isStrict(request) ? STRICT_STATUS[reason] : HttpStatus.INTERNAL_SERVER_ERROR,
    code: 'external-system-failed',
    detail: 'The external shipping system gave no usable reply.',
    reason,
  };
}

function advertiseRetry(reply: FastifyReply, failure: ExternalSystemFailure, request: FastifyRequest): void {
  const status = isStrict(request) ? STRICT_STATUS[failure.reason] : undefined;
  if (status === HttpStatus.SERVICE_UNAVAILABLE && failure.retryAfterMs !== undefined) {
    reply.header('Retry-After', String(Math.max(1, Math.ceil(failure.retryAfterMs / 1000))));
  }
}

function isStrict(request: FastifyRequest): boolean {
  return prefersStrictHandling(request.headers.prefer);
}
