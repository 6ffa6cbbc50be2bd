import type { OpenAPIObject } from '@nestjs/swagger';
import { IGNORED_PARAMETERS_HEADER, MAX_IGNORED_LISTED } from '../../http/parameters/query-parameters.pipe';
import { EXAMPLE_REQUEST_ID } from '../../http/problems/problem-definitions';
import { MAX_HEADER_BYTES } from '../../http/server/bounds';
import type { Operation } from '../../openapi/problem-response';
import { COMPLETENESS_HEADER, MAX_LINK_LENGTH } from '../http/result-headers';
import { MAX_INTEGER } from '../model/parameter-rules';

type ParameterObject = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;
type HeaderObjects = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const text = (maxLength: number, example: string, description: string): HeaderObjects[string] => {
  return { description, schema: { type: 'string', maxLength }, example };
};

export const RESPONSE_HEADERS: HeaderObjects = {
  'X-Request-Id': text(
    64,
    EXAMPLE_REQUEST_ID,
    'Id of the request: that of the client where it is valid, a new one otherwise.',
  ),
  [COMPLETENESS_HEADER]: {
    description:
      'How much of the data of the external system the response has, a structured field (RFC 9651). `complete`; `partial`: ' +
      'malformed records (`dropped`: how many) or fields were left out; `stale`: an earlier response; `unavailable`: the ' +
      'external system failed, and the list is empty for that reason. All but the first have a `reason`. ' +
      '`complete;limit=20`: the unpaged list holds as many records as its limit, and there may be more.',
    required: true,
    schema: { type: 'string', maxLength: 64 },
    example: 'partial;reason=bad-reply;dropped=2',
  },
  [IGNORED_PARAMETERS_HEADER]: text(
    2048,
    '"page", "size"',
    `Names of parameters without effect, at most ${MAX_IGNORED_LISTED}: a structured field (RFC 9651), a list of strings.`,
  ),
  ETag: text(32, 'W/"3f1a0c5e9b27d684"', 'Identifies the body of a complete response; other responses have none.'),
  Link: text(
    MAX_LINK_LENGTH,
    '</api/Shipping/GetShippingPagedList?PageNumber=2>; rel="next"',
    'Links to the pages `first`, `last`, `prev` and `next` (RFC 8288), with all parameters of the request.',
  ),
  'Retry-After': {
    description: 'Seconds after which another try may succeed, where known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INTEGER },
    example: 5,
  },
};

const RESULT = [COMPLETENESS_HEADER, IGNORED_PARAMETERS_HEADER, 'ETag', 'X-Request-Id'];
export const RESULT_HEADERS = references(RESULT);
export const PAGE_HEADERS = references([...RESULT, 'Link']);

function references(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Documents a header of requests. The schema has no enumeration or pattern, because the service accepts any value and
 * ignores those that it does not know; and no example, because the Swagger page would send it with every request.
 */
export function requestHeader(name: string, description: string): ParameterObject {
  return { name, in: 'header', description, schema: { type: 'string', maxLength: MAX_HEADER_BYTES } };
}

export const REQUEST_HEADERS = [
  requestHeader(
    'Prefer',
    '`handling=strict`: 502, 503 or 504 where the external system fails, and 400 for parameters without effect (RFC 7240).',
  ),
  requestHeader('If-None-Match', 'The `ETag` of an earlier response: 304 where it has not changed.'),
  requestHeader('X-Request-Id', 'Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.'),
];
