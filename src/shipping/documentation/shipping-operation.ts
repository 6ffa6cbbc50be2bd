import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiExtension,
  ApiHeaders,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiOperation,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { ParameterFault } from '../../http/problems/problem';
import { InvalidParametersException, PROBLEMS } from '../../http/problems/problem-definitions';
import { exampleOf, type ExampleRequest, type ProblemExample } from '../../openapi/problem-response';
import type { FailureReason } from '../../resilience/upstream-failure';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-rules';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { SHIPPING_NOT_FOUND } from '../model/shipping-exceptions';
import examples from './examples.json';
import { PAGE_HEADERS, REQUEST_HEADERS, RESULT_HEADERS, RETRY_HEADERS } from './header-docs';

/** What an operation returns. */
const RESULTS = {
  lookup: { description: 'The record.', type: ShippingDetail },
  list: { description: 'The matching records, possibly none.', type: [ShippingLookupItem] },
  page: { description: 'The page.', type: PagedShippingList },
} satisfies Record<string, ApiResponseOptions>;

/** The requests that cause the problems of an operation; each target is appended to the path of the operation. */
export interface ProblemRequests {
  readonly result: keyof typeof RESULTS;
  /** A target that ends before the value to find. */
  readonly find: string;
  /** An invalid request and its fault. */
  readonly invalid: ParameterFault & { readonly target: string };
}

/**
 * Makes a route one of the shipping API: each 200 has to say how complete it is, and the document describes it. The requests
 * stay in the operation as `x-shipping`, until `createDocument` makes its problems of them.
 */
export function ShippingOperation(
  docs: ProblemRequests & { readonly summary: string; readonly description: string },
): MethodDecorator {
  const { summary, description, ...requests } = docs;
  const { result } = requests;
  const headers = result === 'page' ? PAGE_HEADERS : RESULT_HEADERS;
  return applyDecorators(
    RouteConfig({ reportsCompleteness: true }),
    ApiOperation({ summary, description }),
    // The values of these examples belong to no particular system, because the document may describe any.
    ApiOkResponse({ ...RESULTS[result], headers, examples: examples[result] }),
    ApiNotModifiedResponse({ description: 'The complete response is still the one that `If-None-Match` names.' }),
    ApiHeaders(REQUEST_HEADERS),
    ApiExtension('x-shipping', requests),
  );
}

/**
 * The problems of an operation.
 *
 * @param path the path that the requests begin with, where the service has the sandbox, which fails on demand: without it,
 * the examples have no requests
 */
export function shippingProblems(
  { result, find, invalid }: ProblemRequests,
  path: string | undefined,
): ProblemExample[] {
  const { target, ...fault } = invalid;
  const { internalError, externalSystemFailed } = PROBLEMS;
  const request = (end: string, fields?: ExampleRequest['fields']): ExampleRequest | undefined =>
    path === undefined ? undefined : { target: path + end, fields };
  const strict = (value: string, status: number, reason: FailureReason, what: string): ProblemExample => ({
    problem: { ...externalSystemFailed, status, reason },
    description: `Strict clients only: the external system ${what}.`,
    request: request(find + value, { Prefer: 'handling=strict' }),
    headers: status === 503 ? RETRY_HEADERS : undefined,
  });
  const ofLookups: ProblemExample[] = [
    { problem: SHIPPING_NOT_FOUND, description: 'No record matches.', request: request(`${find}SIMULATE-NOT-FOUND`) },
    {
      problem: { ...externalSystemFailed, reason: 'upstream-error' },
      description: 'The external system failed.',
      request: request(`${find}SIMULATE-500`),
    },
  ];
  const ofLists: ProblemExample[] = [
    { problem: internalError, description: 'The service itself failed.', circumstance: 'A defect of the service' },
  ];
  return [
    {
      problem: new InvalidParametersException([fault]).definition,
      description: 'A parameter is invalid, repeated or missing; `errors` lists each.',
      request: request(target),
      content: result === 'page' ? pagingMessages(request('?PageNumber=0')) : undefined,
    },
    ...(result === 'lookup' ? ofLookups : ofLists),
    strict('SIMULATE-500', 502, 'upstream-error', 'returned an error or an invalid response'),
    strict('SIMULATE-RESET', 503, 'upstream-unreachable', 'is unreachable, or calls to it are refused for now'),
    strict('SIMULATE-TIMEOUT', 504, 'upstream-timeout', 'did not respond in time'),
  ];
}

function pagingMessages(request: ExampleRequest | undefined): ProblemExample['content'] {
  const schema = { type: 'string', enum: [PAGE_NUMBER.message, PAGE_SIZE.message] };
  return { 'text/plain': { schema, examples: { PageNumber: exampleOf(PAGE_NUMBER.message, request) } } };
}
