import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { STATUS_CODES } from 'node:http';
import { Problem } from '../http/problem';
import { COMPLETENESS_LEVELS, INCOMPLETENESS_REASONS } from '../shipping/model/completeness';

type Components = NonNullable<OpenAPIObject['components']>;
type Documented<Kind extends 'headers' | 'responses'> = Exclude<
  NonNullable<Components[Kind]>[string],
  { $ref: string }
>;
type HeaderObject = Documented<'headers'>;
type ResponseObject = Documented<'responses'>;
interface Reference {
  readonly $ref: string;
}

const COMPLETENESS_PATTERN = `^(complete|(${COMPLETENESS_LEVELS.slice(1).join('|')});reason=(${INCOMPLETENESS_REASONS.join('|')}))$`;

/** Headers that answers share. */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  'Shipping-Completeness': {
    description:
      'How much of what the external system holds the answer shows, a structured field (RFC 9651). `complete`; `partial`: ' +
      'odd records or fields were left out; `stale`: an earlier answer, given because the external system failed, where that is allowed; `unavailable`: the external system failed and ' +
      'the list is empty for that reason alone. The reason stands beside all but the first.',
    required: true,
    schema: { type: 'string', pattern: COMPLETENESS_PATTERN, maxLength: 64 },
    example: 'unavailable;reason=upstream-timeout',
  },
  'X-Request-Id': {
    description: 'Id of the request: the one of the caller where it was fit, a new one otherwise.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', maxLength: 64 },
    example: '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f',
  },
  Link: {
    description:
      'Where the other pages are (RFC 8288): `first`, `last`, `prev`, `next`, every parameter given kept. Left out where it would be longer than 8 KiB.',
    schema: { type: 'string', maxLength: 8192 },
    example: '</api/Shipping/GetShippingPagedList?PageNumber=2>; rel="next"',
  },
  ETag: {
    description: 'Names the body of a complete answer; send it back in `If-None-Match`.',
    schema: { type: 'string', pattern: '^W/"[A-Za-z0-9_-]{27}"$', maxLength: 32 },
    example: 'W/"97oSDpOul4jLYP-GZpJxSXwaKfE"',
  },
  'Retry-After': {
    description: 'Seconds after which trying again may help, where that is known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 5,
  },
  'Preference-Applied': {
    description: 'Present where `Prefer: handling=strict` was honoured (RFC 7240).',
    schema: { type: 'string', enum: ['handling=strict'] },
    example: 'handling=strict',
  },
  'Cache-Control': {
    description: '`no-store` on everything but complete answers.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
    example: 'private, no-cache',
  },
  'Cache-Status': {
    description: 'Where a cache is on: how it served the answer, and for how many more seconds it is fresh (RFC 9211).',
    schema: { type: 'string', maxLength: 128 },
    example: 'shipping-query-service; hit; ttl=12',
  },
  Age: {
    description: 'Where the answer comes from a cache: how old it is, in seconds.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 691_200 },
    example: 48,
  },
  Vary: {
    description: 'Answers depend on `Prefer`.',
    required: true,
    schema: { type: 'string', maxLength: 256 },
    example: 'Prefer',
  },
};

/** References to the headers of every answer, and to those named. */
export function headers(...names: readonly string[]): Record<string, Reference> {
  const all = ['X-Request-Id', 'Cache-Control', 'Vary', 'Preference-Applied', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A problem as the document shows it. */
interface DocumentedProblem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly description: string;
  readonly reason?: string;
  readonly errors?: readonly { parameter: string; message: string }[];
}

function problem({ description, ...kind }: DocumentedProblem, ...headerNames: readonly string[]): ResponseObject {
  const value = {
    type: 'about:blank',
    title: STATUS_CODES[kind.status],
    ...kind,
    instance: kind.status === 404 ? '/api/Shipping/GetShippingInfoById/SHP-999999' : '/api/Shipping/GetShippingDetails',
    requestId: '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f',
  };
  return {
    description,
    headers: headers(...headerNames),
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(Problem) },
        examples: { [kind.code]: { summary: kind.detail, value } },
      },
    },
  };
}

const EXTERNAL_SYSTEM_FAILED = {
  code: 'external-system-failed',
  detail: 'The external shipping system gave no usable reply.',
} as const;

/** Answers that operations share. */
export const RESPONSES = {
  NotModified: {
    description: 'The complete answer is still the one that `If-None-Match` names.',
    headers: headers('ETag', 'Shipping-Completeness'),
  },
  BadRequest: problem({
    status: 400,
    code: 'invalid-parameters',
    detail: 'Status must be one of Created, InTransit, Delivered, Cancelled, Unknown',
    description: 'A parameter is bad, repeated or missing, or the query string is malformed. `errors` names each.',
    errors: [{ parameter: 'Status', message: 'must be one of Created, InTransit, Delivered, Cancelled, Unknown' }],
  }),
  NotFound: problem({
    status: 404,
    code: 'shipping-not-found',
    detail: 'No shipping matches.',
    description: 'No record matches.',
  }),
  HeaderFieldsTooLarge: problem({
    status: 431,
    code: 'header-fields-too-large',
    detail: 'The request line and headers are too long.',
    description: 'The request line and headers together exceed 16 KiB.',
  }),
  InternalServerError: problem({
    status: 500,
    ...EXTERNAL_SYSTEM_FAILED,
    reason: 'upstream-timeout',
    description: 'The external system failed (`external-system-failed`), or the service itself did (`internal-error`).',
  }),
  BadGateway: problem({
    status: 502,
    ...EXTERNAL_SYSTEM_FAILED,
    reason: 'upstream-error',
    description: 'Strict callers only: the external system answered with an error or a bad reply.',
  }),
  ServiceUnavailable: problem(
    {
      status: 503,
      ...EXTERNAL_SYSTEM_FAILED,
      reason: 'circuit-open',
      description:
        'Strict callers: the external system cannot be reached, or is left alone for now. Everyone: the service is ' +
        'overloaded (`overloaded`).',
    },
    'Retry-After',
  ),
  GatewayTimeout: problem({
    status: 504,
    ...EXTERNAL_SYSTEM_FAILED,
    reason: 'upstream-timeout',
    description: 'Strict callers only: the external system did not answer in time.',
  }),
} satisfies Readonly<Record<string, ResponseObject>>;

/** How every operation can answer beside its success, by status; an operation overrides what it knows better. */
export const COMMON_RESPONSES: Readonly<Record<string, Reference>> = {
  304: shared('NotModified'),
  400: shared('BadRequest'),
  431: shared('HeaderFieldsTooLarge'),
  500: shared('InternalServerError'),
  502: shared('BadGateway'),
  503: shared('ServiceUnavailable'),
  504: shared('GatewayTimeout'),
};

function shared(name: keyof typeof RESPONSES): Reference {
  return { $ref: `#/components/responses/${name}` };
}
