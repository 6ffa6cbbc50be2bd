import { HttpException, HttpStatus } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STATUS_CODES } from 'node:http';
import { INCOMPLETENESS_REASONS, type IncompletenessReason } from '../shipping/model/completeness';
import { ANY_TEXT, SOME_TEXT } from '../shipping/model/external-values';

/** What is wrong with one parameter. */
export class ParameterFault {
  @ApiProperty({
    type: String,
    pattern: ANY_TEXT,
    maxLength: 64,
    description: 'Name of the parameter; of one that nobody knows as it came, cut to 64 characters',
    example: 'Status',
  })
  parameter: string;

  @ApiProperty({
    type: String,
    pattern: SOME_TEXT,
    maxLength: 1024,
    description: 'What is wrong with it, in words that follow its name',
    example: 'must be one of Created, InTransit, Delivered, Cancelled, Unknown',
  })
  message: string;
}

/** Body of every error, RFC 9457, but for the two plain messages of the paging parameters. */
export class Problem {
  @ApiProperty({
    type: String,
    format: 'uri-reference',
    maxLength: 256,
    description: '`about:blank`: the status says what kind of problem it is, and `code` says it to the point',
    example: 'about:blank',
  })
  type: string;

  @ApiProperty({
    type: String,
    pattern: SOME_TEXT,
    maxLength: 64,
    description: 'The phrase of the status',
    example: 'Bad Request',
  })
  title: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 400,
    maximum: 599,
    description: 'The status of the answer',
    example: 400,
  })
  status: number;

  @ApiProperty({
    type: String,
    pattern: SOME_TEXT,
    maxLength: 65_536,
    description: 'What happened, for a person to read',
    example: 'Status must be one of Created, InTransit, Delivered, Cancelled, Unknown',
  })
  detail: string;

  @ApiProperty({
    type: String,
    format: 'uri-reference',
    maxLength: 65_536,
    description: 'Path of the request',
    example: '/api/Shipping/GetShippingDetails',
  })
  instance: string;

  @ApiProperty({
    type: String,
    pattern: '^[a-z]+(-[a-z]+)*$',
    maxLength: 64,
    description:
      'Stable name of the kind of problem, for programs: `invalid-parameters`, `bad-request`, `shipping-not-found`, ' +
      '`method-not-allowed`, `request-timeout`, `expectation-failed`, `header-fields-too-large`, ' +
      '`external-system-failed`, `internal-error`, `overloaded`',
    example: 'invalid-parameters',
  })
  code: string;

  @ApiProperty({
    type: String,
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    maxLength: 64,
    description: 'The value of `X-Request-Id`',
    example: '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f',
  })
  requestId: string;

  @ApiPropertyOptional({
    enum: INCOMPLETENESS_REASONS,
    enumName: 'IncompletenessReason',
    description: 'Why the external system gave no usable reply',
  })
  reason?: IncompletenessReason;

  @ApiPropertyOptional({ type: () => ParameterFault, isArray: true, maxItems: 20, description: 'Bad parameters' })
  errors?: readonly ParameterFault[];
}

/** An error whose status, code and detail are meant for the caller. */
export class ProblemException extends HttpException {
  constructor(readonly kind: ProblemKind) {
    super(kind.detail, kind.status);
  }
}

/** 400, naming each parameter that is wrong. */
export function badParameters(errors: readonly ParameterFault[]): ProblemKind {
  const detail = errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
  return { status: HttpStatus.BAD_REQUEST, code: 'invalid-parameters', detail, errors };
}

/** What {@link problemOf} needs to know of the request. */
export interface ProblemOrigin {
  readonly id: string;
  readonly url: string;
}

/** Everything of a problem that is its own; the rest follows from the status and the request. */
export type ProblemKind = Pick<Problem, 'status' | 'code' | 'detail' | 'reason' | 'errors'>;

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

export function problemOf(kind: ProblemKind, request: ProblemOrigin): Problem {
  return {
    type: 'about:blank',
    title: STATUS_CODES[kind.status] ?? 'Error',
    status: kind.status,
    detail: kind.detail,
    instance: pathOf(request.url),
    code: kind.code,
    requestId: request.id,
    reason: kind.reason,
    errors: kind.errors,
  };
}

/** The path of a request target as a URI reference. Node hands over raw bytes, one character each; an escape that is none is escaped. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(
    /[^\x21-\x7e]|["<>\\^`{|}[\]#]|%(?![0-9A-Fa-f]{2})/g,
    (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`,
  );
}
