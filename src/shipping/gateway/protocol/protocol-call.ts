import { z } from 'zod';
import { LoggedError, titleOf } from '../../../common/errors';
import { InvalidParametersException } from '../../../http/problems/problem-definitions';
import { wrongShape } from '../../../resilience/http-failures';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../../resilience/upstream-failure';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-rules';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { ShippingStatus } from '../../model/shipping-status';
import type { Send, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { isDotSegment } from './upstream-path';

/** The body that each method of a `ShippingProtocol` returns. */
export interface ProtocolBodies {
  record: ShippingDetail | undefined;
  list: ShippingLookupItem[];
  page: PagedShippingList;
}
export type ProtocolMethod = keyof ProtocolBodies;

const text = z.string().nullable();
const number = z.number().nullable();
const count = z.int().min(0);
const status = z.enum(ShippingStatus);

const LOOKUP_ITEM = z.object({
  id: z.string().min(1),
  orderId: text,
  shippingAddress: text,
  trackingNumber: text,
  status,
  statusDescription: status,
  totalWeight: number,
  createdDate: text,
  isActive: z.boolean(),
});
const LIST_ITEM = LOOKUP_ITEM.extend({ createdBy: text });
const SHIPPING_ITEM = z.object({ id: text, sku: text, description: text, quantity: number, weight: number });
const DETAIL = LIST_ITEM.extend({ modifiedDate: text, modifiedBy: text, shippingItems: z.array(SHIPPING_ITEM) });
const PAGE = z.object({
  items: z.array(LIST_ITEM),
  totalCount: count,
  pageNumber: count,
  pageSize: count,
  totalPages: count,
  hasPreviousPage: z.boolean(),
  hasNextPage: z.boolean(),
});
const COMPLETENESS = z.discriminatedUnion('level', [
  z.object({ level: z.literal('complete'), limit: count.optional() }),
  z.object({
    level: z.enum(['partial', 'stale', 'unavailable']),
    reason: z.enum(FAILURE_REASONS),
    dropped: count.optional(),
    cause: z.string().optional(),
  }),
]);

/**
 * The shape of each method's result, which is checked before the result is cached or sent to the client (D86): the
 * class that knows the wire format of the external system may come from the application that extends the service, and
 * the compiler does not check it where it is JavaScript or casts. The service's own class is not checked.
 */
const RESULTS = {
  record: z.object({ completeness: COMPLETENESS, body: DETAIL.optional() }),
  list: z.object({ completeness: COMPLETENESS, body: z.array(LOOKUP_ITEM) }),
  page: z.object({ completeness: COMPLETENESS, body: PAGE }),
} satisfies { [Method in ProtocolMethod]: z.ZodType<Partial<QueryResult<ProtocolBodies[Method]>>> };

/**
 * Calls `check` of the protocol, by which the class that knows the wire format of the external system may refuse a
 * request.
 *
 * @throws {InvalidParametersException} where the protocol refuses the request
 * @throws {LoggedError} for the identifiers `.` and `..`, which would change the path (D9), and for every other error
 * of the protocol (D86)
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
  // The compiler accepts a `check` that is asynchronous. Its promise may reject, which would end the process unless
  // handled.
  Promise.resolve(returned).catch(() => undefined);
  throw new LoggedError(`${name} returned something: it refuses by an exception, and must not be asynchronous`);
}

/**
 * Calls a method of the protocol, checks its result, and cuts a list to its limit.
 *
 * @param checksResult whether the shape of the result is checked
 * @throws {UpstreamFailure} that the protocol throws, or for a record whose Id is not the requested one
 * @throws {LoggedError} for every other error of the protocol, and for a result of another shape (D86)
 */
export async function callProtocol<Method extends ProtocolMethod>(
  protocol: ShippingProtocol,
  method: Method,
  request: UpstreamRequest,
  send: Send,
  checksResult: boolean,
): Promise<QueryResult<ProtocolBodies[Method]>> {
  const name = `${protocol.constructor.name}.${method}`;
  let result: unknown;
  let invalid: z.ZodError | undefined;
  try {
    result = await protocol[method](request, send);
    if (checksResult) invalid = RESULTS[method].safeParse(result).error;
  } catch (error) {
    if (error instanceof UpstreamFailure || error instanceof ClientDisconnectedError) throw error;
    const fault = error instanceof LoggedError ? `sent ${error.message}` : `threw ${titleOf(error)}`;
    throw new LoggedError(`${name} ${fault}`, { cause: error });
  }
  if (invalid !== undefined) {
    const path = ['result', ...(invalid.issues[0]?.path ?? [])].join('.');
    throw new LoggedError(`${name} returned an invalid ${path}`);
  }
  if (method === 'record') requireRequestedId(request, (result as QueryResult<ProtocolBodies['record']>).body);
  if (method === 'list') result = boundedList(result as QueryResult<unknown[]>, request.parameters?.Limit);
  return result as QueryResult<ProtocolBodies[Method]>;
}

/**
 * Refuses a record with another identifier than the requested one. It may belong to somebody else, as where a late
 * response arrives on a connection that is used again (D18).
 */
function requireRequestedId({ id, parameters }: UpstreamRequest, record: ShippingDetail | undefined): void {
  const requested = id ?? parameters?.Id;
  if (requested === undefined || record === undefined) return;
  if (record.id.toLowerCase() !== requested.toLowerCase()) throw wrongShape('another Id than the one requested');
}

/**
 * Cuts a list to the requested number of records, and to 10,000 at most (D73). A list that is as long as that may lack
 * records, so that a `limit` with its length is added to a completeness of `complete` (D31). Without a requested
 * number, this is also done for a list of 100 records, the usual default of external systems. Any other list keeps the
 * completeness that the protocol has set.
 */
export function boundedList<Item>(list: QueryResult<Item[]>, requested?: number): QueryResult<Item[]> {
  const body = list.body.slice(0, requested ?? MAX_LIMIT);
  const count = body.length;
  const mayBeCutOff = count === (requested ?? DEFAULT_LIMIT) || count === MAX_LIMIT;
  const isLimited = mayBeCutOff && list.completeness.level === 'complete';
  return { ...list, body, completeness: isLimited ? { level: 'complete', limit: count } : list.completeness };
}
