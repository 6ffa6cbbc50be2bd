import { LoggedError, titleOf } from '../../../common/errors';
import { InvalidParametersException } from '../../../http/problems/problem-definitions';
import { wrongShape } from '../../../resilience/http-failures';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../../resilience/upstream-failure';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-rules';
import type { Completeness, QueryResult } from '../../model/query-result';
import type {
  PagedShippingList,
  ShippingDetail,
  ShippingListItem,
  ShippingLookupItem,
} from '../../model/response-bodies';
import { SHIPPING_STATUSES } from '../../model/shipping-status';
import type { Send, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { isDotSegment } from './upstream-path';

/** The body that each method of a protocol returns. */
export interface ProtocolBodies {
  record: ShippingDetail | undefined;
  list: ShippingLookupItem[];
  page: PagedShippingList;
}
export type ProtocolMethod = keyof ProtocolBodies;

/**
 * Lets the protocol refuse a request.
 *
 * @throws {InvalidParametersException} where the protocol refuses the request
 * @throws {LoggedError} for an identifier that no path can hold (D9), and for every other error of the protocol (D86)
 */
export function checkRequest(protocol: ShippingProtocol, request: UpstreamRequest): void {
  if (isDotSegment(request.id) || isDotSegment(request.parameters?.Id)) {
    throw new LoggedError('The identifier of a query is a dot segment, which would change the path');
  }
  const name = `${protocol.constructor.name}.check`;
  let returned: unknown;
  try {
    returned = protocol.check?.(request);
  } catch (error) {
    if (error instanceof InvalidParametersException) throw error;
    throw new LoggedError(`${name} threw ${titleOf(error)}`, { cause: error });
  }
  if (returned === undefined) return;
  // The compiler accepts an asynchronous check. A rejection of it that nobody handles would end the process.
  Promise.resolve(returned).catch(() => undefined);
  throw new LoggedError(`${name} returned something: it refuses by an exception, and must not be asynchronous`);
}

/**
 * Calls a method of the protocol, and looks at its result.
 *
 * @throws {UpstreamFailure} of the protocol, or for a record with another identifier
 * @throws {LoggedError} for every other error of the protocol, and for a result of another shape (D86)
 */
export async function callProtocol<Method extends ProtocolMethod>(
  protocol: ShippingProtocol,
  method: Method,
  request: UpstreamRequest,
  send: Send,
): Promise<QueryResult<ProtocolBodies[Method]>> {
  let result: unknown;
  try {
    result = await protocol[method](request, send);
  } catch (error) {
    if (error instanceof UpstreamFailure || error instanceof ClientDisconnectedError) throw error;
    const fault = error instanceof LoggedError ? `sent ${error.message}` : `threw ${titleOf(error)}`;
    throw new LoggedError(`${protocol.constructor.name}.${method} ${fault}`, { cause: error });
  }
  const fault = faultOfResult(method, result);
  if (fault !== undefined) throw new LoggedError(`${protocol.constructor.name}.${method} returned ${fault}`);
  if (method === 'record') requireRequestedId(request, (result as QueryResult<ProtocolBodies['record']>).body);
  return result as QueryResult<ProtocolBodies[Method]>;
}

/** The record may be somebody else's, such as that of a late response on a connection that is used again (D18). */
function requireRequestedId({ id, parameters }: UpstreamRequest, record: ShippingDetail | undefined): void {
  const requested = id ?? parameters?.Id;
  if (requested === undefined || record === undefined) return;
  if (record.id.toLowerCase() !== requested.toLowerCase()) throw wrongShape('another Id than the one requested');
}

/** The request with a `Limit` of 10,000 at most (D31). */
export function withCappedLimit(request: UpstreamRequest): UpstreamRequest {
  const { parameters } = request;
  if (parameters?.Limit === undefined || parameters.Limit <= MAX_LIMIT) return request;
  return { ...request, parameters: { ...parameters, Limit: MAX_LIMIT } };
}

/**
 * The list with as many records as were requested at most, and 10,000 (D73). Where it holds as many, it may be cut off, and
 * its completeness says so by a limit (D31); otherwise a limit of the protocol stays.
 */
export function boundedList<Item>(
  { body, completeness, cache }: QueryResult<Item[]>,
  requested: number | undefined,
): QueryResult<Item[]> {
  const items = body.slice(0, requested ?? MAX_LIMIT);
  const count = items.length;
  const mayBeCutOff = count === (requested ?? DEFAULT_LIMIT) || count === MAX_LIMIT;
  const isLimited = mayBeCutOff && completeness.level === 'complete';
  return { body: items, completeness: isLimited ? { level: 'complete', limit: count } : completeness, cache };
}

/*
 * What a protocol returned is looked at before it is cached and sent (D86): a protocol is code of a team, which no compiler
 * checks where it is JavaScript, or where it casts.
 */

type Check = (value: unknown) => boolean;
type Checks<T> = Readonly<Record<keyof T, Check>>;

const INCOMPLETE_LEVELS: readonly unknown[] = ['partial', 'stale', 'unavailable'];
const REASONS: readonly unknown[] = FAILURE_REASONS;
const STATUSES: readonly unknown[] = SHIPPING_STATUSES;

const isObject: Check = (value) => typeof value === 'object' && value !== null;
const isBoolean: Check = (value) => typeof value === 'boolean';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const isStatus: Check = (value) => STATUSES.includes(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isCountOrAbsent: Check = (value) => value === undefined || isCount(value);

const COMPLETE: Checks<Extract<Completeness, { level: 'complete' }>> = {
  level: (value) => value === 'complete',
  limit: isCountOrAbsent,
};
const INCOMPLETE: Checks<Exclude<Completeness, { level: 'complete' }>> = {
  level: (value) => INCOMPLETE_LEVELS.includes(value),
  reason: (value) => REASONS.includes(value),
  dropped: isCountOrAbsent,
  cause: (value) => value === undefined || typeof value === 'string',
};
const LOOKUP_ITEM: Checks<ShippingLookupItem> = {
  id: (value) => typeof value === 'string' && value !== '',
  orderId: isTextOrNull,
  shippingAddress: isTextOrNull,
  trackingNumber: isTextOrNull,
  status: isStatus,
  statusDescription: isStatus,
  totalWeight: (value) => value === null || typeof value === 'number',
  createdDate: isTextOrNull,
  isActive: isBoolean,
};
const LIST_ITEM: Checks<ShippingListItem> = { ...LOOKUP_ITEM, createdBy: isTextOrNull };
const DETAIL: Checks<ShippingDetail> = {
  ...LIST_ITEM,
  modifiedDate: isTextOrNull,
  modifiedBy: isTextOrNull,
  shippingItems: (value) => Array.isArray(value) && value.every(isObject),
};
const PAGE: Checks<PagedShippingList> = {
  items: Array.isArray,
  totalCount: isCount,
  pageNumber: isCount,
  pageSize: isCount,
  totalPages: isCount,
  hasPreviousPage: isBoolean,
  hasNextPage: isBoolean,
};

/** What is wrong with a result, to complete the sentence "the protocol returned …"; `undefined` where it is sound. */
function faultOfResult(method: ProtocolMethod, result: unknown): string | undefined {
  const { body, completeness } = (result ?? {}) as Partial<QueryResult<unknown>>;
  const checks = completeness?.level === 'complete' ? COMPLETE : INCOMPLETE;
  return faultOf('completeness', completeness, checks) ?? faultOfBody(method, body);
}

function faultOfBody(method: ProtocolMethod, body: unknown): string | undefined {
  if (method === 'list') return faultOfRecords(body, LOOKUP_ITEM);
  if (method === 'page')
    return faultOf('page', body, PAGE) ?? faultOfRecords((body as PagedShippingList).items, LIST_ITEM);
  // No record matches.
  return body === undefined ? undefined : faultOf('record', body, DETAIL);
}

function faultOfRecords(records: unknown, checks: Checks<ShippingLookupItem>): string | undefined {
  if (!Array.isArray(records)) return 'a list that is no array';
  for (const record of records) {
    const fault = faultOf('record', record, checks);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(kind: string, value: unknown, checks: Readonly<Record<string, Check>>): string | undefined {
  if (!isObject(value)) return `a ${kind} that is no object`;
  for (const name in checks) {
    if (checks[name]?.((value as Readonly<Record<string, unknown>>)[name]) !== true)
      return `a ${kind} without a valid ${name}`;
  }
  return undefined;
}
