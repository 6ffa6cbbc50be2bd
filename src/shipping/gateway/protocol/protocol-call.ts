import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { type Cause, LoggedError, titleOf } from '../../../common/errors';
import { InvalidParametersException, ProblemException, PROBLEMS } from '../../../http/problems/problem-definitions';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../../resilience/upstream-failure';
import { DEFAULT_SORTING } from '../../model/parameter-rules';
import { withCauses } from '../../model/query-result';
import { ShippingStatus } from '../../model/shipping-status';
import { type Comparison, ComparisonWithRequest, type Method, type ResultOf } from './compare-with-request';
import { FILTERS, NO_FILTERS, type Send, type ShippingProtocol, type UpstreamRequest } from './shipping-protocol';
import { StandardProtocol } from './standard-protocol';
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
const CAUSES = z.array(z.object({ what: z.string(), field: z.string().optional(), count: count.optional() }));
const COMMON_MEMBERS = { limit: count.optional(), dropped: count.optional(), causes: CAUSES.optional() };
const COMPLETENESS = z.discriminatedUnion('level', [
  z.object({ level: z.literal('complete'), ...COMMON_MEMBERS }),
  z.object({ level: z.enum(['partial', 'stale', 'unavailable']), reason: z.enum(FAILURE_REASONS), ...COMMON_MEMBERS }),
]);

/**
 * The shape of each method's result, which is checked before the result is cached or sent to the client (D86): the
 * class that knows the wire format of the external system may come from the application that extends the service, and
 * the compiler does not check it where it is JavaScript or casts.
 */
const RESULTS = {
  record: z.object({ completeness: COMPLETENESS, body: DETAIL.optional() }),
  list: z.object({ completeness: COMPLETENESS, body: z.array(LOOKUP_ITEM) }),
  page: z.object({ completeness: COMPLETENESS, body: PAGE }),
} satisfies { [M in Method]: z.ZodType<Partial<ResultOf<M>>> };

/** Header fields of the connection, and those by which the service itself identifies a request. */
const SERVICE_FIELDS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|x-request-id|traceparent|tracestate|baggage)$/i;

const NOT_APPLIED = 'cannot be applied: the external system does not have this filter';

/** How a method of a protocol sends its requests, and what was odd about the responses to them. */
interface Requests {
  readonly send: Send;
  readonly remarks: readonly Cause[];
}

/** Calls the methods of a protocol, which may throw and return anything (D86). */
export class ProtocolCalls {
  constructor(private readonly protocol: ShippingProtocol) {}

  /**
   * Calls `check`, by which the class that knows the wire format of the external system may refuse a request.
   *
   * @throws {ProblemException} 501 for an operation that the external system does not have
   * @throws {InvalidParametersException} for a filter of the specification that the protocol does not read, which the
   * client can leave out, and where the protocol refuses the request
   * @throws {LoggedError} for the identifiers `.` and `..`, which would change the path (D9), for a parameter of a team
   * that the protocol does not read, which its code has to declare (D83), and for every other error of the protocol
   * (D86)
   */
  check(request: UpstreamRequest): void {
    if (isDotSegment(request.id) || isDotSegment(request.parameters?.Id)) {
      throw new LoggedError('The identifier of a query is a dot segment, which would change the path');
    }
    this.requireReadParameters(request);
    const sentence = this.protocol.unsupported?.[request.operation.name];
    if (sentence !== undefined) throw new ProblemException({ ...PROBLEMS.operationNotSupported, detail: sentence });
    try {
      const returned: unknown = this.protocol.check?.(request);
      if (returned === undefined) return;
      // The compiler accepts a `check` that is asynchronous. Its promise may reject, which would end the process unless
      // handled.
      Promise.resolve(returned).catch(() => undefined);
    } catch (error) {
      throw error instanceof InvalidParametersException ? error : this.thrown('check', error);
    }
    throw this.fault('check', 'returned something: it refuses by an exception, and must not be asynchronous');
  }

  /** The request for a page, with the default sorting where the external system cannot sort by its key (D8). */
  sortable(request: UpstreamRequest): UpstreamRequest {
    const { sortKeys } = this.protocol;
    const { parameters } = request;
    const sorted = parameters?.SortBy;
    if (sortKeys === undefined || sorted === undefined || sortKeys.some((key) => key === sorted)) return request;
    return { ...request, parameters: { ...parameters, ...DEFAULT_SORTING } };
  }

  private requireReadParameters({ parameters = {} }: UpstreamRequest): void {
    const { parameters: read, constructor } = this.protocol;
    if (read === 'all') return;
    const given = Object.keys(parameters).filter((name) => parameters[name as keyof typeof parameters] != null);
    const unread = given.filter((name) => NO_FILTERS.every((other) => other !== name) && !read.includes(name));
    const unknown = unread.filter((name) => FILTERS.every((filter) => filter !== name)).join(', ');
    if (unknown !== '') throw new LoggedError(`${constructor.name} does not read ${unknown}: see its "parameters"`);
    if (unread.length === 0) return;
    throw new InvalidParametersException(unread.map((parameter) => ({ parameter, message: NOT_APPLIED })));
  }

  /**
   * The header fields that the protocol adds to a request; `undefined` where it adds none to any.
   *
   * @throws {LoggedError} where the protocol throws, or returns a field that cannot be sent or is not its own
   */
  headers(requestId: string): Readonly<Record<string, string>> | undefined {
    if (this.protocol.headers === undefined) return undefined;
    try {
      const headers = this.protocol.headers(requestId);
      for (const [field, value] of Object.entries(headers)) {
        validateHeaderName(field);
        validateHeaderValue(field, value);
        // Node accepts other values, which undici refuses later.
        if (typeof value !== 'string') throw new TypeError(`${field} is no text`);
        // A field name is no value of a client: the class has chosen it.
        if (SERVICE_FIELDS.test(field)) throw this.fault('headers', `returned ${field}, which the service sets itself`);
      }
      return headers;
    } catch (error) {
      throw error instanceof LoggedError ? error : this.thrown('headers', error);
    }
  }

  /**
   * Calls a method, checks its result, and makes it fit the request.
   *
   * @throws {UpstreamFailure} that the protocol throws, or for a record that is not the requested one
   * @throws {LoggedError} for every other error of the protocol, and for a result of another shape (D86)
   */
  async call<M extends Method>(method: M, request: UpstreamRequest, requests: Requests): Promise<ResultOf<M>> {
    let result: unknown;
    let invalid: z.ZodError | undefined;
    try {
      result = await this.protocol[method](request, requests.send);
      // The compiler has checked the mapping of the service's own class, so that its results are not checked here: for
      // a page, that takes a tenth of a request (decision 6).
      const isOwn = this.protocol.constructor === StandardProtocol;
      if (!isOwn) invalid = RESULTS[method].safeParse(result).error;
    } catch (error) {
      if (error instanceof UpstreamFailure || error instanceof ClientDisconnectedError) throw error;
      throw this.thrown(method, error);
    }
    if (invalid !== undefined) {
      const path = ['result', ...(invalid.issues[0]?.path ?? [])].join('.');
      throw this.fault(method, `returned an invalid ${path}`);
    }
    const comparison: Comparison = new ComparisonWithRequest(request, this.protocol);
    const compared = comparison[method](result as ResultOf<M>);
    if (requests.remarks.length === 0) return compared;
    return { ...compared, completeness: withCauses(compared.completeness, requests.remarks) };
  }

  /** The error for what the protocol threw, or for a request of it that cannot be sent. */
  private thrown(method: string, error: unknown): LoggedError {
    if (error instanceof LoggedError) return this.fault(method, `sent ${error.message}`, error.cause ?? error);
    return this.fault(method, `threw ${titleOf(error)}`, error);
  }

  private fault(method: string, what: string, cause?: unknown): LoggedError {
    return new LoggedError(`${this.protocol.constructor.name}.${method} ${what}`, { cause });
  }
}
