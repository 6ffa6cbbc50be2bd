import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_INTEGER } from '../../common/bounds';
import { IGNORED_PARAMETERS_HEADER, MAX_IGNORED_LISTED } from '../../http/parameters/query-parameters.pipe';
import { REQUEST_ID } from '../../openapi/problem-response';
import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import { COMPLETENESS_HEADER, MAX_LINK_LENGTH } from '../http/respond';

type HeaderObjects = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const REQUEST_ID_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', maxLength: 64 };

export const RESPONSE_HEADERS: HeaderObjects = {
  'X-Request-Id': {
    description: 'Id of the request: that of the client where it is valid, a new one otherwise.',
    schema: REQUEST_ID_SCHEMA,
    example: REQUEST_ID,
  },
  [COMPLETENESS_HEADER]: {
    description:
      'How much of the data of the external system the response has, a structured field (RFC 9651). `complete`; `partial`: ' +
      'malformed records (`dropped`: how many) or fields were left out; `stale`: an earlier response; `unavailable`: the ' +
      'external system failed, and the list is empty for that reason. All but the first have a `reason`. ' +
      '`complete;limit=20`: the unpaged list holds as many records as its limit, and there may be more.',
    required: true,
    schema: {
      type: 'string',
      pattern: `^(complete(;limit=[1-9][0-9]*)?|(partial|stale|unavailable);reason=(${FAILURE_REASONS.join('|')})(;dropped=[1-9][0-9]*)?)$`,
      maxLength: 64,
    },
    example: 'partial;reason=bad-reply;dropped=2',
  },
  [IGNORED_PARAMETERS_HEADER]: {
    description: `Names of ignored parameters, at most ${MAX_IGNORED_LISTED}: a structured field (RFC 9651), a list of strings.`,
    schema: { type: 'string', maxLength: 2048 },
    example: '"page", "size"',
  },
  ETag: {
    description: 'Identifies the body of a complete response; other responses have none.',
    schema: { type: 'string', maxLength: 32 },
    example: 'W/"3f1a0c5e9b27d684"',
  },
  Link: {
    description:
      'Links to the pages `first`, `last`, `prev` and `next` (RFC 8288), with all parameters of the request.',
    schema: { type: 'string', maxLength: MAX_LINK_LENGTH },
    example: '</api/Shipping/GetShippingPagedList?PageNumber=2>; rel="next"',
  },
  'Retry-After': {
    description: 'Seconds after which another try may succeed, where known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INTEGER },
    example: 5,
  },
};

const RESULT = ['X-Request-Id', COMPLETENESS_HEADER, IGNORED_PARAMETERS_HEADER, 'ETag'];
export const RESULT_HEADERS = references(RESULT);
export const PAGE_HEADERS = references([...RESULT, 'Link']);
export const RETRY_HEADERS = references(['Retry-After']);

function references(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
