import { IGNORED_PARAMETERS_HEADER } from '../../http/parameters/ignored-parameters';
import { invalidParameters, PlainMessageException, type ProblemDefinition } from '../../http/problem';
import { PROBLEMS } from '../../http/problems';
import { headers, sharedResponse, type Reference, type ResponseObject } from '../../openapi/components';
import { platformResponses, problemResponse, ROUTE_RESPONSES, type ProblemExample } from '../../openapi/responses';
import type { UpstreamFailure } from '../../resilience/upstream-failure';
import { PAGE_NUMBER } from '../model/paging-rules';
import { COMPLETENESS_HEADER } from '../http/completeness.header';
import { OPERATIONS_PREFIX } from '../model/routes';
import { STRICT_STATUS } from '../http/shipping-exception.filter';
import { EXTERNAL_SYSTEM_FAILED, SHIPPING_NOT_FOUND } from '../model/shipping-problems';

const PAGED_LIST = 'GetShippingPagedList';

/** Headers about the call to the external system, on successes and failures where a cache is on. */
export const CALL_HEADERS = ['Cache-Status', 'Age'];

function example(summary: string, problem: ProblemDefinition, operation = PAGED_LIST): ProblemExample {
  return { summary, problem, path: `${OPERATIONS_PREFIX}/${operation}` };
}

function invalid(summary: string, parameter: string, message: string, operation?: string): ProblemExample {
  return example(summary, invalidParameters([{ parameter, message }]), operation);
}

function strictFailure(summary: string, reason: UpstreamFailure['reason']): ProblemExample {
  return example(summary, { ...EXTERNAL_SYSTEM_FAILED, status: STRICT_STATUS[reason], reason });
}

/** The messages of the rules. */
const BAD_REQUEST_EXAMPLES = {
  badValue: invalid('?Status=Lost', 'Status', 'must be one of Created, InTransit, Delivered, Cancelled, Unknown'),
  repeated: invalid('?OrderId=ORD-000001&orderid=ORD-000001', 'OrderId', 'is given more than once'),
  unknown: invalid(
    '?SearchTrem=Berlin, of a strict client',
    'SearchTrem',
    'is not a parameter of this operation; did you mean SearchTerm?',
  ),
  missing: invalid(
    'No criterion identifies the record',
    'Id',
    'is missing; give at least one of Id, OrderId, TrackingNumber',
    'GetShippingSingle',
  ),
  badIdentifier: invalid('An invalid identifier', 'id', 'is not a valid shipping identifier', 'GetShippingInfoById/-'),
  malformed: example('A request without Host', PROBLEMS.badRequest),
};

const BAD_REQUEST_MEANING =
  'A parameter is invalid, repeated or missing (`invalid-parameters`; `errors` lists each), or the request is malformed (`bad-request`).';

/** The response to invalid input. */
const BAD_REQUEST = problemResponse(BAD_REQUEST_MEANING, BAD_REQUEST_EXAMPLES, IGNORED_PARAMETERS_HEADER);

/** The response to invalid input of the paged list, without the plain messages. */
export const PAGED_BAD_REQUEST = problemResponse(
  `${BAD_REQUEST_MEANING} For an invalid \`PageNumber\` or \`PageSize\` the body is one of two plain messages, or a problem with that message as \`detail\` where \`Accept\` names \`application/problem+json\`.`,
  {
    ...BAD_REQUEST_EXAMPLES,
    badPageNumber: example(
      '?PageNumber=0, where Accept names problems',
      new PlainMessageException('PageNumber', PAGE_NUMBER.message).definition,
    ),
  },
  IGNORED_PARAMETERS_HEADER,
);

const INTERNAL_ERROR = example('The service itself failed', PROBLEMS.internalError);

/** Responses that the operations share, and those of every route. */
export const SHIPPING_RESPONSES: Readonly<Record<string, ResponseObject>> = {
  ...platformResponses(`${OPERATIONS_PREFIX}/${PAGED_LIST}`),
  NotModified: {
    description: 'The complete response is still the one that `If-None-Match` names.',
    headers: headers('Preference-Applied', IGNORED_PARAMETERS_HEADER, 'ETag', COMPLETENESS_HEADER, ...CALL_HEADERS),
  },
  PageNotModified: {
    description: 'The complete page is still the one that `If-None-Match` names.',
    headers: headers(
      'Preference-Applied',
      IGNORED_PARAMETERS_HEADER,
      'ETag',
      COMPLETENESS_HEADER,
      'Link',
      ...CALL_HEADERS,
    ),
  },
  BadRequest: BAD_REQUEST,
  NotFound: problemResponse(
    'No record matches.',
    { notFound: example('SHP-999999', SHIPPING_NOT_FOUND, 'GetShippingInfoById/SHP-999999') },
    IGNORED_PARAMETERS_HEADER,
    ...CALL_HEADERS,
  ),
  InternalServerError: problemResponse(
    'Single lookups: the external system failed (`external-system-failed`). All: the service itself failed (`internal-error`).',
    {
      externalSystemFailed: example(
        'A single lookup while the external system fails',
        { ...EXTERNAL_SYSTEM_FAILED, reason: 'upstream-error' },
        'GetShippingInfoById/SIMULATE-500',
      ),
      internalError: INTERNAL_ERROR,
    },
    IGNORED_PARAMETERS_HEADER,
    ...CALL_HEADERS,
  ),
  BadGateway: problemResponse(
    'Strict clients only: the external system returned an error or an invalid response.',
    {
      upstreamError: strictFailure('It returned 500', 'upstream-error'),
      badReply: strictFailure('Its response was invalid', 'bad-reply'),
    },
    ...CALL_HEADERS,
  ),
  ServiceUnavailable: problemResponse(
    'Strict clients: the external system is unreachable, or calls to it are refused for now. All clients: the service is overloaded (`overloaded`).',
    {
      unreachable: strictFailure('It is unreachable', 'upstream-unreachable'),
      circuitOpen: strictFailure('It failed so often that the circuit is open', 'circuit-open'),
      saturated: strictFailure('Too many calls wait for it', 'saturated'),
      overloaded: example('The service is overloaded', PROBLEMS.overloaded),
    },
    'Retry-After',
    ...CALL_HEADERS,
  ),
  GatewayTimeout: problemResponse(
    'Strict clients only: the external system did not respond in time.',
    { upstreamTimeout: strictFailure('It did not respond in time', 'upstream-timeout') },
    ...CALL_HEADERS,
  ),
};

/** References to the responses of every operation, by status; an operation overrides them. */
export const OPERATION_RESPONSES: Readonly<Record<string, Reference>> = {
  ...ROUTE_RESPONSES,
  304: sharedResponse('NotModified'),
  500: sharedResponse('InternalServerError'),
  502: sharedResponse('BadGateway'),
  503: sharedResponse('ServiceUnavailable'),
  504: sharedResponse('GatewayTimeout'),
};
