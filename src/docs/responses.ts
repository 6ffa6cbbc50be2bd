import { getSchemaPath } from '@nestjs/swagger';
import { Problem, badParameters, problemOf, type ProblemKind } from '../http/problem';
import { frameworkKind } from '../http/problem.filter';
import { OPERATIONS_PREFIX } from '../http/paths';
import type { IncompletenessReason } from '../shipping/model/completeness';
import { headers, REQUEST_ID_EXAMPLE, type Reference, type ResponseObject } from './components';

/** An answer as an example shows it: what it is about, the problem, and the path that was asked. */
interface ProblemExample {
  readonly summary: string;
  readonly kind: ProblemKind;
  /** `null` where the request could not be read as far as its path. */
  readonly operation?: string | null;
}

/** An answer with a problem, its examples and the headers of every answer. */
export function problem(
  description: string,
  examples: Readonly<Record<string, ProblemExample>>,
  ...headerNames: readonly string[]
): ResponseObject {
  const shown = Object.entries(examples).map(([name, { summary, kind, operation = 'GetShippingPagedList' }]) => {
    const origin = { id: REQUEST_ID_EXAMPLE, url: operation === null ? '' : `${OPERATIONS_PREFIX}/${operation}` };
    // As it travels: members without a value are not there.
    return [name, { summary, value: JSON.parse(JSON.stringify(problemOf(kind, origin))) as unknown }] as const;
  });
  return {
    description,
    headers: headers('Preference-Applied', ...headerNames),
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(Problem) },
        examples: Object.fromEntries(shown),
      },
    },
  };
}

const externalSystemFailed = (status: number, reason: IncompletenessReason): ProblemKind => ({
  status,
  code: 'external-system-failed',
  detail: 'The external shipping system gave no usable reply.',
  reason,
});

const INTERNAL_ERROR: ProblemExample = { summary: 'The service itself failed', kind: frameworkKind(500) };

const badParameter = (parameter: string, message: string): ProblemKind => badParameters([{ parameter, message }]);

/** What bad input gets; the examples are the words of the rules. */
export const BAD_REQUEST = problem(
  'A parameter is bad, repeated or missing (`invalid-parameters`; `errors` names each), or the request is malformed (`bad-request`).',
  {
    badValue: {
      summary: '?Status=Lost',
      kind: badParameter('Status', 'must be one of Created, InTransit, Delivered, Cancelled, Unknown'),
    },
    repeated: {
      summary: '?OrderId=ORD-000001&orderid=ORD-000001',
      kind: badParameter('OrderId', 'is given more than once'),
    },
    unknown: {
      summary: '?SearchTrem=Berlin, of a strict caller',
      kind: badParameter('SearchTrem', 'is not a parameter of this operation; did you mean SearchTerm?'),
    },
    missing: {
      summary: 'No criterion identifies the record',
      kind: badParameter('Id', 'is missing; give at least one of Id, OrderId, TrackingNumber'),
      operation: 'GetShippingSingle',
    },
    badIdentifier: {
      summary: 'No identifier looks like this',
      kind: badParameter('id', 'is not a valid shipping identifier'),
      operation: 'GetShippingInfoById/-',
    },
    malformed: { summary: 'A request without Host', kind: frameworkKind(400) },
  },
);

/** What a cache, where one is on, tells of every call, well ended or not. */
const OF_A_CALL = ['Cache-Status', 'Age'];

/** Answers that operations share. */
export const RESPONSES = {
  NotModified: {
    description: 'The complete answer is still the one that `If-None-Match` names.',
    headers: headers('Preference-Applied', 'ETag', 'Shipping-Completeness', ...OF_A_CALL),
  },
  PageNotModified: {
    description: 'The complete page is still the one that `If-None-Match` names.',
    headers: headers('Preference-Applied', 'ETag', 'Shipping-Completeness', 'Link', ...OF_A_CALL),
  },
  BadRequest: BAD_REQUEST,
  NotFound: problem(
    'No record matches.',
    {
      notFound: {
        summary: 'SHP-999999',
        kind: { status: 404, code: 'shipping-not-found', detail: 'No shipping matches.' },
        operation: 'GetShippingInfoById/SHP-999999',
      },
    },
    ...OF_A_CALL,
  ),
  MethodNotAllowed: problem(
    'Another method than GET or HEAD.',
    { methodNotAllowed: { summary: 'POST', kind: frameworkKind(405) } },
    'Allow',
  ),
  RequestTimeout: problem('The request came too slowly.', {
    requestTimeout: { summary: 'Half a request, and nothing for 10 s', kind: frameworkKind(408), operation: null },
  }),
  ExpectationFailed: problem('The request carries an `Expect` that nobody can meet.', {
    expectationFailed: { summary: 'Expect: anything', kind: frameworkKind(417) },
  }),
  HeaderFieldsTooLarge: problem('The request line and headers together exceed 16 KiB.', {
    headerFieldsTooLarge: { summary: 'A query string of 20 KiB', kind: frameworkKind(431), operation: null },
  }),
  InternalServerError: problem(
    'Single lookups: the external system failed (`external-system-failed`). All: the service itself did (`internal-error`).',
    {
      externalSystemFailed: {
        summary: 'A single lookup while the external system fails',
        kind: externalSystemFailed(500, 'upstream-error'),
        operation: 'GetShippingInfoById/SIMULATE-500',
      },
      internalError: INTERNAL_ERROR,
    },
    ...OF_A_CALL,
  ),
  BadGateway: problem(
    'Strict callers only: the external system answered with an error or a bad reply.',
    {
      upstreamError: { summary: 'It answered 500', kind: externalSystemFailed(502, 'upstream-error') },
      badReply: { summary: 'Its reply was not usable', kind: externalSystemFailed(502, 'bad-reply') },
    },
    ...OF_A_CALL,
  ),
  ServiceUnavailable: problem(
    'Strict callers: the external system cannot be reached, or is left alone for now. Everyone: the service is overloaded (`overloaded`).',
    {
      unreachable: { summary: 'It cannot be reached', kind: externalSystemFailed(503, 'upstream-unreachable') },
      circuitOpen: {
        summary: 'It failed so often that it is left alone',
        kind: externalSystemFailed(503, 'circuit-open'),
      },
      saturated: { summary: 'Too many calls wait for it', kind: externalSystemFailed(503, 'saturated') },
      overloaded: { summary: 'The service is overloaded', kind: frameworkKind(503) },
    },
    'Retry-After',
    ...OF_A_CALL,
  ),
  GatewayTimeout: problem(
    'Strict callers only: the external system did not answer in time.',
    { upstreamTimeout: { summary: 'It did not answer in time', kind: externalSystemFailed(504, 'upstream-timeout') } },
    ...OF_A_CALL,
  ),
  ProbeFailed: problem('The service itself failed.', { internalError: INTERNAL_ERROR }),
} satisfies Readonly<Record<string, ResponseObject>>;

/** How every route can answer beside its success, by status. */
const OF_EVERY_ROUTE: Readonly<Record<string, Reference>> = {
  400: shared('BadRequest'),
  405: shared('MethodNotAllowed'),
  408: shared('RequestTimeout'),
  417: shared('ExpectationFailed'),
  431: shared('HeaderFieldsTooLarge'),
};

/** How every operation can answer beside its success; an operation overrides what it knows better. */
export const OPERATION_RESPONSES: Readonly<Record<string, Reference>> = {
  ...OF_EVERY_ROUTE,
  304: shared('NotModified'),
  500: shared('InternalServerError'),
  502: shared('BadGateway'),
  503: shared('ServiceUnavailable'),
  504: shared('GatewayTimeout'),
};

/** How a probe can answer beside its report. */
export const PROBE_RESPONSES: Readonly<Record<string, Reference>> = { ...OF_EVERY_ROUTE, 500: shared('ProbeFailed') };

/** A reference to an answer that operations share. */
export function shared(name: keyof typeof RESPONSES): Reference {
  return { $ref: `#/components/responses/${name}` };
}
