import type { Settings } from '../../../config/settings';
import type { StatusAndHeaders } from '../../../resilience/upstream-failure';
import type { Sorting } from '../../model/parameter-rules';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import type { ShippingStatus } from '../../model/shipping-status';

/** A value of a query parameter; `undefined` and `null` are left out, dates are sent as `YYYY-MM-DDThh:mm:ss.sssZ`. */
export type QueryValue = string | number | boolean | Date | null | undefined;

/**
 * Validated parameters, by the names of the specification. A query with parameters of its own extends this interface:
 * `interface TeamParameters extends UpstreamParameters { readonly Carrier?: string }`.
 */
export interface UpstreamParameters {
  readonly Id?: string;
  readonly OrderId?: string;
  readonly TrackingNumber?: string;
  readonly SearchTerm?: string;
  readonly Status?: ShippingStatus;
  readonly FromDate?: Date;
  readonly ToDate?: Date;
  readonly Limit?: number;
  readonly PageNumber?: number;
  readonly PageSize?: number;
  readonly SortBy?: string;
  readonly SortDirection?: string;
}

/**
 * The filters of the specification. A client who gives one that the bound protocol does not read gets 400, and the
 * OpenAPI document leaves it out (D83).
 */
export const FILTERS = ['Id', 'OrderId', 'TrackingNumber', 'SearchTerm', 'Status', 'FromDate', 'ToDate'] as const;
/** What the gateway applies itself, or names as ignored. */
export const NO_FILTERS = ['Limit', 'PageNumber', 'PageSize', 'SortBy', 'SortDirection'] as const;

/** One operation of the external system. */
export interface UpstreamOperation {
  /** The name of the operation in metrics, spans, keys of the cache and `ShippingProtocol.unsupported`. */
  readonly name: string;
  /**
   * The path to which `StandardProtocol`, the wire format of the specification, sends the operation. It may contain
   * `{id}`.
   */
  readonly path: (paths: Settings['external']['paths']) => string;
  /**
   * The field of a record in which a parameter has its value, for parameters that have another name than their field:
   * `{ User: 'createdBy' }`. `CreatedBy` is compared with `createdBy` without being declared (D18).
   */
  readonly fields?: Readonly<Record<string, keyof ShippingDetail>>;
}

/** What a query requests, whatever the wire format. */
export interface UpstreamRequest<Parameters extends UpstreamParameters = UpstreamParameters> {
  readonly operation: UpstreamOperation;
  readonly id?: string;
  readonly parameters?: Parameters;
  /**
   * The headers of the client that the gateway sends on to the external system, such as the header with a tenant. A
   * protocol that remembers data between requests must not use them for a request with other values of these headers.
   */
  readonly forwarded?: Readonly<Record<string, string>>;
}

/** One request on the wire. */
export interface UpstreamTarget {
  /**
   * The path, such as `/v2/{carrier}/shipments/{id}`. It has placeholders instead of values, because traces show it and
   * must not contain values of clients.
   */
  readonly path: string;
  /** The value of `{id}`. */
  readonly id?: string;
  /** The values of other placeholders, by name. Each is encoded, and stays one segment of the path. */
  readonly pathValues?: Readonly<Record<string, string>>;
  /**
   * The query. Its values are encoded. Its names, which the class writes and no client chooses, are sent as they are,
   * so that a system may have names such as `filter[status]`. Each value of an array is sent under the name.
   */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /**
   * The URL of the next page, as the external system gave it: its path and query are sent instead of `path` and
   * `query`. It has to be below the base URL. A relative URL is resolved against the base URL with `path`.
   */
  readonly next?: string;
}

/**
 * `data` is parsed JSON where the status is 2xx, and otherwise text, or `UNREADABLE_BODY` where the body broke off, was
 * too large or could not be decoded.
 */
export interface UpstreamResponse extends StatusAndHeaders {
  readonly data: unknown;
}

/**
 * Sends one `GET` request, when the request before has its response. It is retried where its status or its connection
 * has failed in a way that may pass; the last response is returned, whatever its status is. All requests of a call
 * share its deadline and its cache entry.
 */
export type Send = (target: UpstreamTarget) => Promise<UpstreamResponse>;

/**
 * A class that knows the wire format of an external system. `StandardProtocol` is the default; an application binds its
 * own by `AppModule.withProtocol`. Methods throw an `UpstreamFailure` for a response that they cannot use, see
 * `upstream-failure.ts`. Whatever else they throw, and a result of another shape, is an error of the service (D86).
 */
export abstract class ShippingProtocol<Parameters extends UpstreamParameters = UpstreamParameters> {
  /**
   * Parameters by which the external system finds records that may show another value: a shipment of several orders
   * that shows the first one, or a tracking number that has been replaced. By default, a record with another value than
   * the requested one is refused on a lookup, and dropped from a list (D18).
   */
  declare readonly notComparable?: readonly string[];

  /**
   * The operations that the external system does not have, by their names (`single`, `by-id`, `details`, `paged`, and
   * those of an application's own queries), each with a sentence for clients. They get it with status 501; the OpenAPI
   * document and the check leave these operations out.
   */
  declare readonly unsupported?: Readonly<Partial<Record<string, string>>>;

  /**
   * The filters that this class reads, `SortBy` where the system can sort, and parameters of an application's own
   * queries. What is not named is not ignored in silence (D83): a filter of the specification is 400 for the client who
   * gives it, `SortBy` is named in `Shipping-Ignored-Parameters`, and another one is an error of the service.
   */
  abstract readonly parameters: readonly string[] | 'all';

  /** The keys by which the system can sort, where these are not all three; others are named as ignored (D8). */
  declare readonly sortKeys?: readonly Sorting['SortBy'][];

  /**
   * Header fields that every request has, such as the version of an API. `Accept` and `User-Agent` may be replaced;
   * other fields that the service sets itself, and those of credentials and connections, may not.
   *
   * @param requestId the value of `X-Request-Id`, for systems that want an id of each request under another name
   */
  headers?(requestId: string): Readonly<Record<string, string>>;

  /**
   * Refuses requests for what the external system cannot do, before the cache is read. It must not be asynchronous
   * (D86).
   *
   * @throws {InvalidParametersException} for a request that is refused
   */
  check?(request: UpstreamRequest<Parameters>): void;

  /**
   * The record with this identifier, or the newest record that matches all criteria; a `body` of `undefined` where
   * there is none.
   */
  abstract record(request: UpstreamRequest<Parameters>, send: Send): Promise<QueryResult<ShippingDetail | undefined>>;

  /** All records that match, `Limit` at most. */
  abstract list(request: UpstreamRequest<Parameters>, send: Send): Promise<QueryResult<ShippingLookupItem[]>>;

  /** One page of the records that match, in the requested order. */
  abstract page(request: UpstreamRequest<Parameters>, send: Send): Promise<QueryResult<PagedShippingList>>;
}
