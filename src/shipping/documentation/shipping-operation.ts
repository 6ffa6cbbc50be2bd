import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiHeaders, ApiNotModifiedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { InvalidParametersException, PROBLEMS } from '../../http/problems/problem-definitions';
import { exampleOf, type ExampleRequest, type ProblemExample } from '../../openapi/problem-response';
import type { FailureReason } from '../../resilience/upstream-failure';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-rules';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { SHIPPING_NOT_FOUND } from '../model/shipping-exceptions';
import examples from './examples.json';
import { PAGE_HEADERS, REQUEST_HEADERS, RESULT_HEADERS, RETRY_HEADERS } from './header-docs';
import operations from './operations.json';

/** How the OpenAPI document describes the 200 of each kind of operation. */
const RESULTS = {
  lookup: { description: 'The record.', type: ShippingDetail },
  list: { description: 'The matching records, possibly none.', type: ShippingLookupItem, isArray: true },
  page: { description: 'The page.', type: PagedShippingList },
};
type ResultKind = keyof typeof RESULTS;

/**
 * The texts of an operation, and the ends of URLs that cause its error responses; each is appended to the path of the
 * operation. `targetPrefix` ends where a value is missing: a value such as `SIMULATE-500`, by which the sandbox (the
 * built-in imitation of the external system) fails on demand, is appended to it. `invalid` is the end of an invalid
 * request, with the entry of `errors` in its response.
 */
type OperationTexts = typeof operations.single;

/**
 * What `@ShippingOperation` stores in an operation of the OpenAPI document as `x-shipping`. `createDocument` replaces
 * it by the documented error responses.
 */
export interface DocumentedOperation extends OperationTexts {
  readonly result: ResultKind;
  /** The name of the upstream operation, under which a `ShippingProtocol` may list it as unsupported. */
  readonly upstream: string;
}

/**
 * Makes a route an operation of the shipping API: `checkResults` turns a 200 without the header `Shipping-Completeness`
 * into a 500, and the OpenAPI document describes the header. The texts are stored in the operation as `x-shipping`,
 * from which `createDocument` makes the documented error responses.
 */
export function ShippingOperation(result: ResultKind, name: keyof typeof operations): MethodDecorator {
  const texts: OperationTexts = operations[name];
  const { summary, description } = texts;
  // `operations.json` has the texts under the names of the upstream operations, in camel case.
  const upstream = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const headers = result === 'page' ? PAGE_HEADERS : RESULT_HEADERS;
  return applyDecorators(
    RouteConfig({ reportsCompleteness: true }),
    ApiOperation({ summary, description }),
    // The values of these examples are invented, such as the identifier `A-1001`. The OpenAPI document of a service
    // that is connected to a real system has them, too, and must not promise records that only the sandbox has (D72).
    ApiOkResponse({ ...RESULTS[result], headers, examples: examples[result] }),
    ApiNotModifiedResponse({ description: 'The complete response is still the one that `If-None-Match` names.' }),
    ApiHeaders(REQUEST_HEADERS),
    ApiExtension('x-shipping', { result, upstream, ...texts } satisfies DocumentedOperation),
  );
}

/**
 * The error responses (problems) of an operation, for the OpenAPI document.
 *
 * @param path the path of the operation; `undefined` where the service is connected to a real system: only the sandbox
 * fails on demand, so that these problems then get no example requests
 */
export function shippingProblems(
  { result, targetPrefix: start, invalid }: DocumentedOperation,
  path: string | undefined,
): ProblemExample[] {
  const { target, ...fault } = invalid;
  const { internalError, externalSystemFailed } = PROBLEMS;
  const request = (end: string, fields?: ExampleRequest['fields']): ExampleRequest | undefined =>
    path === undefined ? undefined : { target: path + end, fields };
  const strict = (value: string, status: number, reason: FailureReason, what: string): ProblemExample => ({
    problem: { ...externalSystemFailed, status, reason },
    description: `Strict clients only: the external system ${what}.`,
    request: request(start + value, { Prefer: 'handling=strict' }),
    headers: status === 503 ? RETRY_HEADERS : undefined,
  });
  const ofLookups: ProblemExample[] = [
    { problem: SHIPPING_NOT_FOUND, description: 'No record matches.', request: request(`${start}SIMULATE-NOT-FOUND`) },
    {
      problem: { ...externalSystemFailed, reason: 'upstream-error' },
      description: 'The external system failed.',
      request: request(`${start}SIMULATE-500`),
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
