import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiHeaders, ApiNotModifiedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { failureProblem, InvalidParametersException, PROBLEMS } from '../../http/problems/problem-definitions';
import { MAX_HEADER_BYTES } from '../../http/server/bounds';
import type { Operation, ProblemExample } from '../../openapi/problem-response';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-rules';
import { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import examples from './examples.json';
import headers from './headers.json';
import operations from './operations.json';

/** How the OpenAPI document describes the 200 of each kind of operation. */
const RESULTS = {
  lookup: { description: 'The record.', type: ShippingDetail },
  list: { description: 'The matching records, possibly none.', type: ShippingLookupItem, isArray: true },
  page: { description: 'The page.', type: PagedShippingList },
};
type ResultKind = keyof typeof RESULTS;

const PAGING_MESSAGES = {
  'text/plain': { schema: { type: 'string', enum: [PAGE_NUMBER.message, PAGE_SIZE.message] } },
} as const satisfies ProblemExample['content'];

const RESULT_HEADERS = ['Shipping-Completeness', 'Shipping-Ignored-Parameters', 'ETag', 'X-Request-Id'];

type ParameterObject = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/**
 * Documents a header of requests. The schema has no enumeration or pattern, because the service accepts any value and
 * ignores those that it does not know; and no `example`, because the Swagger page would send it with every request.
 */
export function requestHeader(name: string, description: string, examples?: string[]): ParameterObject {
  return { name, in: 'header', description, schema: { type: 'string', maxLength: MAX_HEADER_BYTES, examples } };
}

/** What `@ShippingOperation` stores in an operation of the OpenAPI document, for `createDocument`. */
export interface DocumentedOperation {
  /** The name of the upstream operation, under which a `ShippingProtocol` may list it as unsupported. */
  readonly upstream: string;
  readonly problems: readonly ProblemExample[];
}

/**
 * Declares and documents a route as an operation of the shipping API. `createDocument` makes the documented errors of
 * what is stored as `x-shipping`, because their examples have the path of the route.
 *
 * @param name of the upstream operation; `operations.json` has the texts under it
 */
export function ShippingOperation(result: ResultKind, name: keyof typeof operations): MethodDecorator {
  const { summary, description } = operations[name];
  const names = result === 'page' ? [...RESULT_HEADERS, 'Link'] : RESULT_HEADERS;
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return applyDecorators(
    RouteConfig({ reportsCompleteness: 'always' }),
    ApiOperation({ summary, description }),
    // The values of these examples are invented, such as the identifier `A-1001`. The OpenAPI document of a service
    // that is connected to a real system has them, too, and must not promise records that only the sandbox has (D72).
    ApiOkResponse({ ...RESULTS[result], headers: Object.fromEntries(references), examples: examples[result] }),
    ApiNotModifiedResponse({ description: 'The complete response is still the one that `If-None-Match` names.' }),
    ApiHeaders(headers.requests.map(({ name, description, examples }) => requestHeader(name, description, examples))),
    ApiExtension('x-shipping', { upstream: name, problems: problemsOf(result, name) } satisfies DocumentedOperation),
  );
}

/** The problems that a client of an operation should expect (D72). */
function problemsOf(result: ResultKind, name: keyof typeof operations): ProblemExample[] {
  const problem = new InvalidParametersException([operations[name].invalid]).definition;
  const description = 'A parameter is invalid, repeated or missing; `errors` lists each.';
  // `-` is no identifier (D10), so that the example is true where `id` is the invalid parameter.
  const badRequest = { problem, description, id: '-', content: result === 'page' ? PAGING_MESSAGES : undefined };
  const notFound = { problem: PROBLEMS.shippingNotFound, description: 'No record matches.' };
  return result === 'lookup' ? [badRequest, notFound, { problem: failureProblem('upstream-error') }] : [badRequest];
}
