import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { IGNORED_PARAMETERS_HEADER } from '../../http/parameters/ignored-parameters';
import { Problem } from '../../http/problems/problem';
import { invalidParameters } from '../../http/problems/problem-definitions';
import { headerReferences } from '../../openapi/components';
import {
  example,
  RouteDocs,
  type ExampleRequest,
  type ProblemDocs,
  type Route,
  type RouteParts,
} from '../../openapi/route-docs';
import { FAILURE_REASONS, type UpstreamFailure } from '../../resilience/upstream-failure';
import { COMPLETENESS_HEADER } from '../http/respond';
import { STRICT_STATUS } from '../http/shipping-exception.filter';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-bounds';
import { EXTERNAL_SYSTEM_FAILED, SHIPPING_NOT_FOUND } from '../model/shipping-exceptions';
import { SHIPPING_STATUSES } from '../model/shipping-status';
import { codeSamples } from './code-samples.docs';
import { parametersOf } from './operation-parameters.docs';

/**
 * The documentation of one operation, without what all operations share. A request is a query, or the value of the path
 * parameter.
 */
export interface OperationDocs {
  readonly summary: string;
  readonly description: string;
  /** Whether the body is an array of the type. */
  readonly isArray?: boolean;
  readonly result: string;
  /** A request with a complete response, and its body. */
  readonly complete: readonly [request: string, body: unknown];
  /** The body for a malformed record among valid ones. */
  readonly partial: unknown;
  /** The body of a list without records; single lookups have none. */
  readonly empty?: unknown;
  /** The request for what has a text as identifier, order id or search term. */
  readonly find: (text: string) => string;
  /** A request of a single lookup that finds nothing. */
  readonly notFound?: string;
  /** Requests with one invalid parameter. */
  readonly invalid: readonly InvalidRequest[];
  /** The identifier of the first record as a JSON Pointer into the body, for a link to the detailed record. */
  readonly firstIdentifier?: string;
  /** Whether it has `PageNumber` and `PageSize`, with their plain messages, and links to pages. */
  readonly paged?: boolean;
}

/** A request with one invalid parameter, and the message of its rule. */
export interface InvalidRequest {
  readonly request: string;
  readonly parameter: string;
  readonly message: string;
  readonly strict?: boolean;
}

/** Invalid requests of lists. */
export const INVALID_FILTERS: readonly InvalidRequest[] = [
  { request: '?Status=Lost', parameter: 'Status', message: `must be one of ${SHIPPING_STATUSES.join(', ')}` },
  { request: '?OrderId=A&orderid=B', parameter: 'OrderId', message: 'is given more than once' },
  {
    request: '?SearchTrem=Berlin',
    parameter: 'SearchTrem',
    message: 'is not a parameter of this operation; did you mean SearchTerm?',
    strict: true,
  },
];

const STRICT = { Prefer: 'handling=strict' };

/** Failures of the external system: what to look for to see them, and what else it takes. */
const FAILURES: Readonly<Record<UpstreamFailure['reason'], { readonly text: string; readonly circumstance?: string }>> =
  {
    'upstream-error': { text: 'SIMULATE-500' },
    'bad-reply': { text: 'SIMULATE-BAD-SHAPE' },
    'upstream-unreachable': { text: 'SIMULATE-RESET' },
    'circuit-open': { text: 'SIMULATE-CIRCUIT-OPEN', circumstance: 'It failed so often that the circuit is open' },
    saturated: { text: 'Berlin', circumstance: 'Too many calls wait for it' },
    'upstream-timeout': { text: 'SIMULATE-TIMEOUT' },
  };

/** What the external system did, by the status of the response. */
const FAILURE_MEANINGS: Readonly<Record<number, string>> = {
  502: 'returned an error or an invalid response',
  503: 'is unreachable, or calls to it are refused for now',
  504: 'did not respond in time',
};

/** Headers about the call to the external system, on successes and failures where a cache is on. */
const CALL_HEADERS = ['Cache-Status', 'Age'];

/** Documents an operation whose response holds records of a type. */
export function ApiShippingOperation(type: Type, docs: OperationDocs): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type, Problem),
    RouteDocs((route) => {
      const [request] = docs.complete;
      return {
        summary: docs.summary,
        description: descriptionOf(docs),
        parameters: parametersOf(route),
        responses: successes(type, docs, route),
        problems: problemsOf(docs, route),
        'x-codeSamples': codeSamples(route, request, requestOf(route, request).target),
      };
    }),
  );
}

function descriptionOf(docs: OperationDocs): string {
  if (docs.empty === undefined) return docs.description;
  const body = docs.paged === true ? 'page' : 'list';
  return `${docs.description} Where the external system fails, the ${body} is empty.`;
}

/** The request of an example of this route. */
function requestOf({ path }: Route, request: string, headers?: ExampleRequest['headers']): ExampleRequest {
  const target = request.startsWith('?') ? path + request : path.replace(/\{\w+\}/, request);
  return headers === undefined ? { target } : { target, headers };
}

function successes(type: Type, docs: OperationDocs, route: Route): RouteParts['responses'] {
  const { isArray = false, find, empty, firstIdentifier, paged = false } = docs;
  const reference = { $ref: getSchemaPath(type) };
  const shown = { complete: docs.complete, partial: [find('SIMULATE-ODD-RECORD'), docs.partial] as const };
  const all = { ...shown, ...(empty !== undefined && { unavailable: [find('SIMULATE-500'), empty] as const }) };
  const examples = Object.entries(all).map(([name, [request, body]]) => {
    return [name, example(route.path, requestOf(route, request), body, `${request} (${name})`)] as const;
  });
  const names = ['Preference-Applied', IGNORED_PARAMETERS_HEADER, COMPLETENESS_HEADER, 'ETag', ...CALL_HEADERS];
  return {
    200: {
      description: docs.result,
      headers: headerReferences(paged ? [...names, 'Link'] : names),
      content: {
        'application/json': {
          schema: isArray ? { type: 'array', items: reference } : reference,
          examples: Object.fromEntries(examples),
        },
      },
      ...(firstIdentifier !== undefined && { links: { firstRecord: lookupLink(firstIdentifier) } }),
    },
    304: {
      description: 'The complete response is still the one that `If-None-Match` names.',
      headers: headerReferences(names),
    },
  };
}

function lookupLink(pointer: string): { operationId: string; description: string; parameters: Record<string, string> } {
  return {
    operationId: 'getShippingInfoById',
    description: 'The detailed record of the first entry.',
    parameters: { id: `$response.body#${pointer}` },
  };
}

function problemsOf(docs: OperationDocs, route: Route): ProblemDocs[] {
  const { invalid, notFound, find, paged = false } = docs;
  const problems: ProblemDocs[] = invalid.map(({ request, parameter, message, strict = false }) => ({
    problem: invalidParameters([{ parameter, message }]),
    meaning: 'A parameter is invalid, repeated or missing (`invalid-parameters`; `errors` lists each).',
    request: requestOf(route, request, strict ? STRICT : undefined),
  }));
  if (paged) problems.push(...pagingProblems(route));
  if (notFound !== undefined) {
    problems.push(
      { problem: SHIPPING_NOT_FOUND, meaning: 'No record matches.', request: requestOf(route, notFound) },
      {
        problem: { ...EXTERNAL_SYSTEM_FAILED, reason: 'upstream-error' },
        meaning: 'The external system failed (`external-system-failed`).',
        request: requestOf(route, find('SIMULATE-500')),
      },
    );
  }
  const responseHeaders = [IGNORED_PARAMETERS_HEADER, ...CALL_HEADERS];
  return [...problems, ...failures(docs, route)].map((problem) => ({ ...problem, responseHeaders }));
}

function pagingProblems(route: Route): ProblemDocs[] {
  const bad = (request: string, parameter: string, message: string): ProblemDocs => ({
    problem: { ...invalidParameters([{ parameter, message }]), detail: message },
    meaning: 'For an invalid `PageNumber` or `PageSize` the body is one of two plain messages.',
    request: requestOf(route, request),
    plainSchema: 'PagingMessage',
  });
  return [
    bad('?PageNumber=0', 'PageNumber', PAGE_NUMBER.message),
    bad(`?PageSize=${PAGE_SIZE.max + 1}`, 'PageSize', PAGE_SIZE.message),
  ];
}

/** Failures of the external system, where they are responses and not empty lists. */
function failures(docs: OperationDocs, route: Route): ProblemDocs[] {
  return FAILURE_REASONS.flatMap((reason) => {
    if (reason === 'internal') return [];
    const { text, circumstance } = FAILURES[reason];
    const status = STRICT_STATUS[reason];
    return {
      problem: { ...EXTERNAL_SYSTEM_FAILED, status, reason },
      meaning: `Strict clients only: the external system ${FAILURE_MEANINGS[status]}.`,
      request: requestOf(route, docs.find(text), STRICT),
      circumstance,
    };
  });
}
