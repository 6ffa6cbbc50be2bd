import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiHeaders, ApiNotModifiedResponse, ApiResponse } from '@nestjs/swagger';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import type { ParameterFault } from '../../http/problems/problem';
import { InvalidParametersException, PROBLEMS } from '../../http/problems/problem-definitions';
import { exampleOf, problemResponse, type ProblemExample } from '../../openapi/problem-response';
import type { FailureReason } from '../../resilience/upstream-failure';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-rules';
import { SHIPPING_NOT_FOUND } from '../model/shipping-exceptions';
import { RETRY_HEADERS } from './header-docs';

export const SHIPPING_PATH = '/api/Shipping/';
/** The schema has no enumeration or pattern, because the service accepts any value and ignores those that it does not know. */
const HEADER_SCHEMA = { maxLength: MAX_HEADER_BYTES };
const PREFER =
  '`handling=strict`: 502, 503 or 504 where the external system fails, and 400 for unknown parameters (RFC 7240).';

/* These headers have no examples, because the Swagger page would send them with every request. */
const REQUEST_HEADERS = [
  { name: 'Prefer', description: PREFER, schema: HEADER_SCHEMA },
  {
    name: 'If-None-Match',
    description: 'The `ETag` of an earlier response: 304 where it has not changed.',
    schema: HEADER_SCHEMA,
  },
  {
    name: 'X-Request-Id',
    description: 'Id of this request: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other, or none: a new one.',
    schema: HEADER_SCHEMA,
  },
];

/** Marks an operation of the service for `createDocument`, which takes the mark out of the document. */
export interface ShippingExtension {
  readonly 'x-shipping'?: boolean;
}

const failed = (reason: FailureReason, status = 500): ProblemExample['problem'] => {
  return { ...PROBLEMS.externalSystemFailed, status, reason };
};
const strict = (what: string, problem: ProblemExample['problem'], target: string): ProblemExample => ({
  problem,
  description: `Strict clients only: the external system ${what}.`,
  target,
  fields: { Prefer: 'handling=strict' },
  headers: problem.status === 503 ? RETRY_HEADERS : undefined,
});

/* Problems of the operations. The target of each is the value that makes the sandbox cause it; it is added to the path of the operation. */

const OF_LOOKUPS: readonly ProblemExample[] = [
  { problem: SHIPPING_NOT_FOUND, description: 'No record matches.', target: 'SIMULATE-NOT-FOUND' },
  { problem: failed('upstream-error'), description: 'The external system failed.', target: 'SIMULATE-500' },
];
const OF_LISTS: readonly ProblemExample[] = [
  {
    problem: PROBLEMS.internalError,
    description: 'The service itself failed.',
    target: '',
    circumstance: 'A defect of the service',
  },
];
const OF_STRICT_CLIENTS: readonly ProblemExample[] = [
  strict('returned an error or an invalid response', failed('upstream-error', 502), 'SIMULATE-500'),
  strict('is unreachable, or calls to it are refused for now', failed('upstream-unreachable', 503), 'SIMULATE-RESET'),
  strict('did not respond in time', failed('upstream-timeout', 504), 'SIMULATE-TIMEOUT'),
];

/** An invalid request and its fault. */
interface InvalidRequest extends ParameterFault {
  readonly target: string;
}

/**
 * Documents the request headers and the problems of an operation. Targets are below the path of the controller.
 *
 * @param find a target that ends before the value to find
 */
export function ApiShippingProblems(
  kind: 'lookup' | 'list' | 'page',
  find: string,
  { target, ...fault }: InvalidRequest,
): MethodDecorator {
  const invalid: ProblemExample = {
    problem: new InvalidParametersException([fault]).definition,
    description: 'A parameter is invalid, repeated or missing; `errors` lists each.',
    target: SHIPPING_PATH + target,
    content: kind === 'page' ? pagingMessages(find) : undefined,
  };
  const others = [...(kind === 'lookup' ? OF_LOOKUPS : OF_LISTS), ...OF_STRICT_CLIENTS];
  const problems = [invalid, ...others.map((other) => ({ ...other, target: SHIPPING_PATH + find + other.target }))];
  return applyDecorators(
    ApiExtension('x-shipping', true),
    ApiHeaders(REQUEST_HEADERS),
    ApiNotModifiedResponse({ description: 'The complete response is still the one that `If-None-Match` names.' }),
    ...problems.map((example) => ApiResponse({ status: example.problem.status, ...problemResponse(example) })),
  );
}

function pagingMessages(find: string): ProblemExample['content'] {
  const target = SHIPPING_PATH + find.replace(/\?.*/, '?PageNumber=0');
  const schema = { type: 'string', enum: [PAGE_NUMBER.message, PAGE_SIZE.message] };
  return { 'text/plain': { schema, examples: { PageNumber: exampleOf({ target }, PAGE_NUMBER.message) } } };
}
