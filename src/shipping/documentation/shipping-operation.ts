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

/** What an operation returns. The values of its examples belong to no particular system, because the document may describe any. */
const RESULTS = {
  lookup: { description: 'The record.', type: ShippingDetail, headers: RESULT_HEADERS, examples: examples.lookup },
  list: {
    description: 'The matching records, possibly none.',
    type: [ShippingLookupItem],
    headers: RESULT_HEADERS,
    examples: examples.list,
  },
  page: { description: 'The page.', type: PagedShippingList, headers: PAGE_HEADERS, examples: examples.page },
} satisfies Record<string, ApiResponseOptions>;

/** The requests that cause the problems of an operation; each target is appended to the path of the operation. */
export interface ProblemRequests {
  readonly result: keyof typeof RESULTS;
  /** A target that ends before the value to find. */
  readonly find: string;
  /** An invalid request and its fault. */
  readonly invalid: ParameterFault & { readonly target: string };
}

/** Leaves the requests in an operation for `createDocument`, which makes the problems of it and takes them out. */
export interface ShippingExtension {
  readonly 'x-shipping'?: ProblemRequests;
}

/** Makes a route one of the shipping API: each 200 has to say how complete it is, and the document describes it. */
export function ShippingOperation(
  docs: ProblemRequests & { readonly summary: string; readonly description: string },
): MethodDecorator {
  const { summary, description, ...requests } = docs;
  return applyDecorators(
    RouteConfig({ reportsCompleteness: true }),
    ApiOperation({ summary, description }),
    ApiOkResponse(RESULTS[requests.result]),
    ApiNotModifiedResponse({ description: 'The complete response is still the one that `If-None-Match` names.' }),
    ApiHeaders(REQUEST_HEADERS),
    ApiExtension('x-shipping', requests),
  );
}

/** A problem that the sandbox causes for one of its values. */
interface SimulatedProblem extends ProblemExample {
  readonly value: string;
  readonly fields?: ExampleRequest['fields'];
}

const failed = (status: number, reason: FailureReason): ProblemExample['problem'] => {
  return { ...PROBLEMS.externalSystemFailed, status, reason };
};
const OF_LOOKUPS: readonly SimulatedProblem[] = [
  { problem: SHIPPING_NOT_FOUND, description: 'No record matches.', value: 'SIMULATE-NOT-FOUND' },
  { problem: failed(500, 'upstream-error'), description: 'The external system failed.', value: 'SIMULATE-500' },
];
const OF_LISTS: ProblemExample = {
  problem: PROBLEMS.internalError,
  description: 'The service itself failed.',
  circumstance: 'A defect of the service',
};

const strict = (problem: ProblemExample['problem'], what: string, value: string): SimulatedProblem => {
  const description = `Strict clients only: the external system ${what}.`;
  const headers = problem.status === 503 ? RETRY_HEADERS : undefined;
  return { problem, description, headers, value, fields: { Prefer: 'handling=strict' } };
};
const OF_STRICT_CLIENTS: readonly SimulatedProblem[] = [
  strict(failed(502, 'upstream-error'), 'returned an error or an invalid response', 'SIMULATE-500'),
  strict(failed(503, 'upstream-unreachable'), 'is unreachable, or calls to it are refused for now', 'SIMULATE-RESET'),
  strict(failed(504, 'upstream-timeout'), 'did not respond in time', 'SIMULATE-TIMEOUT'),
];

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
  const request = (end: string, fields?: ExampleRequest['fields']): ExampleRequest | undefined =>
    path === undefined ? undefined : { target: path + end, fields };
  const simulated = result === 'lookup' ? [...OF_LOOKUPS, ...OF_STRICT_CLIENTS] : OF_STRICT_CLIENTS;
  const problems: ProblemExample[] = simulated.map((each) => {
    return { ...each, request: request(find + each.value, each.fields) };
  });
  if (result !== 'lookup') problems.push(OF_LISTS);
  problems.push({
    problem: new InvalidParametersException([fault]).definition,
    description: 'A parameter is invalid, repeated or missing; `errors` lists each.',
    request: request(target),
    content: result === 'page' ? pagingMessages(request('?PageNumber=0')) : undefined,
  });
  return problems;
}

function pagingMessages(request: ExampleRequest | undefined): ProblemExample['content'] {
  const schema = { type: 'string', enum: [PAGE_NUMBER.message, PAGE_SIZE.message] };
  return { 'text/plain': { schema, examples: { PageNumber: exampleOf(PAGE_NUMBER.message, request) } } };
}
