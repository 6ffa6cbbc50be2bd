import { BadRequestException, HttpException } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { FAILURE_REASONS, type FailureReason } from '../../resilience/upstream-failure';
import { pathOf } from '../request-target';
import texts from './problems.json';

export const PROBLEMS_PATH = '/problems';
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
export const MAX_FAULTS = 20;
/** The request id that all examples show; a fixed one, so that the document is the same each time. */
export const EXAMPLE_REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';

/** Documents a member of a body, which is a text unless the options say otherwise. */
const Doc = (description: string, example: unknown, options: ApiPropertyOptions = {}): PropertyDecorator =>
  ApiProperty({ type: String, description, example, ...options });

/** An entry of `errors` in the body of a 400: one invalid parameter, and the rule that it breaks. */
export class ParameterFault {
  @Doc('Name of the parameter; an unknown one as it was sent, cut to 64 characters', 'Status', { maxLength: 64 })
  parameter: string;

  @Doc('What is wrong with it; the text continues after its name', 'is given more than once', { maxLength: 1024 })
  message: string;
}

/** The body of an error: problem details (RFC 9457). */
export class Problem {
  @Doc('Where it is explained: the path of the page of problems, `#` and the `code`', '/problems#invalid-parameters', {
    format: 'uri-reference',
    maxLength: 256,
  })
  type: string;

  @Doc('The reason phrase of the status', 'Bad Request', { maxLength: 64 })
  title: string;

  @Doc('The status of the response', 400, { type: 'integer', format: 'int32', minimum: 400, maximum: 599 })
  status: number;

  @Doc('What happened, for people', 'Status is given more than once')
  detail: string;

  @Doc('Path of the request', '/api/Shipping/GetShippingDetails', { format: 'uri-reference' })
  instance: string;

  @Doc('Stable name of the problem, for programs; codes may be added', 'invalid-parameters', { maxLength: 64 })
  code: string;

  @Doc('The value of `X-Request-Id`', EXAMPLE_REQUEST_ID, { maxLength: 64 })
  requestId: string;

  @ApiPropertyOptional({
    enum: FAILURE_REASONS,
    enumName: 'IncompletenessReason',
    description: 'Why the external system gave no usable response',
  })
  reason?: FailureReason;

  @ApiPropertyOptional({ type: [ParameterFault], maxItems: MAX_FAULTS, description: 'The invalid parameters' })
  errors?: readonly ParameterFault[];
}

/**
 * The members that define a problem. The others follow from the status (title) and the request (instance, request id).
 */
export interface ProblemDefinition extends Pick<Problem, 'status' | 'code' | 'detail' | 'reason' | 'errors'> {
  /** Sent as `Retry-After`, in whole seconds, at least one. */
  readonly retryAfterMs?: number;
  /** The URI of the problem; by default, the place of its code on the page of problems. */
  readonly type?: string;
  /** Further members of the body; standard members of the same name win. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A problem of the service or of the balancer, as `problems.json` has it. */
interface KnownProblem extends ProblemDefinition {
  /** What a client can do about it: the page of problems and the Swagger page say it, once for each code. */
  readonly remedy?: string;
  /** Whether an exception with this status that defines no problem of its own is sent as this one. */
  readonly isGeneral?: boolean;
}

/** In the order in which people meet their codes; the last are those that only extensions send (D88). */
export const PROBLEMS: Readonly<Record<keyof typeof texts.problems, KnownProblem>> = texts.problems;

/**
 * What belongs to a reason why the external system failed: the status for `Prefer: handling=strict`, which asks for
 * errors instead of degraded results (D21); what happened (`cause`, also the `detail` of the problem), what a program
 * should tell the people who use it (`tell`), and whether to try again (`retry`).
 */
export const REASONS: Readonly<Record<FailureReason, (typeof texts.reasons)['internal']>> = texts.reasons;

/** An exception whose response is the problem that it was created with. */
export class ProblemException extends HttpException {
  /**
   * @param cause why it is thrown; the log line has that of a `LoggedError` or a failure, and no client sees it (D81)
   */
  constructor(
    readonly definition: ProblemDefinition,
    cause?: unknown,
  ) {
    super(definition.detail, definition.status, { cause });
  }
}

/** 400 with its message as plain text instead of a problem, for the messages about paging (D4). */
export class PlainMessageException extends BadRequestException {}

/** 400 with at most {@link MAX_FAULTS} invalid parameters, so that its size is bounded whatever a client sends. */
export class InvalidParametersException extends ProblemException {
  constructor(faults: readonly ParameterFault[]) {
    const errors = faults.slice(0, MAX_FAULTS);
    const detail = errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
    super({ ...PROBLEMS.invalidParameters, detail, errors });
  }
}

/** The body of a problem for a request. */
export function problemOf(
  { type, status, code, detail, reason, errors, members }: ProblemDefinition,
  { id, originalUrl, publicBasePath }: Pick<FastifyRequest, 'id' | 'originalUrl' | 'publicBasePath'>,
): Problem {
  return {
    ...members,
    type: type ?? `${publicBasePath}${PROBLEMS_PATH}#${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    instance: publicBasePath + pathOf(originalUrl),
    code,
    requestId: id,
    // Where one of these is `undefined`, it is left out: it would overwrite a member of the same name in `members`,
    // which come from an exception of an application that extends the service.
    ...(reason !== undefined && { reason }),
    ...(errors !== undefined && { errors }),
  };
}

/** The problem of a failure of the external system: its detail says what happened, by the reason. */
export function failureProblem(reason: FailureReason): ProblemDefinition {
  return { ...PROBLEMS.externalSystemFailed, reason, detail: REASONS[reason].cause };
}
