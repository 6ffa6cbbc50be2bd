import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { LoggedError, succeeds, titleOf } from '../../../common/errors';
import { InvalidParametersException, UnsupportedOperationException } from '../../../http/problems/problem-definitions';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryResult } from '../../model/query-result';
import { ShippingStatus } from '../../model/shipping-status';
import { FITTED, type ProtocolBodies } from './fitted-results';
import type { Send, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { isDotSegment } from './upstream-path';

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
  z.object({ level: z.literal('complete'), limit: count.optional(), cause: z.string().optional() }),
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
} satisfies { [Method in keyof ProtocolBodies]: z.ZodType<Partial<QueryResult<ProtocolBodies[Method]>>> };

/**
 * Calls `check` of the protocol, by which the class that knows the wire format of the external system may refuse a
 * request.
 *
 * @throws {UnsupportedOperationException} for an operation that the external system does not have
 * @throws {InvalidParametersException} where the protocol refuses the request
 * @throws {LoggedError} for the identifiers `.` and `..`, which would change the path (D9), and for every other error
 * of the protocol (D86)
 */
export function checkRequest(protocol: ShippingProtocol, request: UpstreamRequest): void {
  if (isDotSegment(request.id) || isDotSegment(request.parameters?.Id)) {
    throw new LoggedError('The identifier of a query is a dot segment, which would change the path');
  }
  const sentence = protocol.unsupported?.[request.operation.name];
  if (sentence !== undefined) throw new UnsupportedOperationException(sentence);
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

/** Header fields of the connection, and those by which the service itself identifies a request. */
const SERVICE_FIELDS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|x-request-id|traceparent|tracestate|baggage)$/i;

/**
 * The header fields that the protocol adds to a request.
 *
 * @throws {LoggedError} where the protocol throws, or returns a field that cannot be sent or is not its own
 */
export function headersOf(protocol: ShippingProtocol, requestId: string): Readonly<Record<string, string>> {
  const name = `${protocol.constructor.name}.headers`;
  let headers: unknown;
  try {
    headers = protocol.headers?.(requestId) ?? {};
  } catch (error) {
    throw new LoggedError(`${name} threw ${titleOf(error)}`, { cause: error });
  }
  for (const [field, value] of Object.entries(Object(headers) as Record<string, string>)) {
    // A field name is no value of a client: the class has chosen it.
    if (SERVICE_FIELDS.test(field)) throw new LoggedError(`${name} returned ${field}, which the service sets itself`);
    const isValid = succeeds(() => {
      validateHeaderName(field);
      validateHeaderValue(field, value);
    });
    if (typeof value !== 'string' || !isValid)
      throw new LoggedError(`${name} returned a field that cannot be sent: ${field}`);
  }
  return headers as Readonly<Record<string, string>>;
}

/**
 * Calls a method of the protocol, checks its result, and makes it fit the request.
 *
 * @param checksResult whether the shape of the result is checked
 * @throws {UpstreamFailure} that the protocol throws, or for a record that is not the requested one
 * @throws {LoggedError} for every other error of the protocol, and for a result of another shape (D86)
 */
export async function callProtocol<Method extends keyof ProtocolBodies>(
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
  return FITTED[method](result as QueryResult<ProtocolBodies[Method]>, request, protocol);
}
