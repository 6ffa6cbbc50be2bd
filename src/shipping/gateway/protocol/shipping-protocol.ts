import type { Settings } from '../../../config/settings';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import type { ShippingStatus } from '../../model/shipping-status';

type ParameterValue = string | number | Date | undefined;

/** Parameters of upstream requests, by the names of the specification. All values have passed validation. */
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
  readonly [name: string]: ParameterValue;
}

/** One operation of the external system. */
export interface UpstreamOperation {
  /** Its name in metrics, spans and the cache. */
  readonly name: string;
  /** Its path below the base URL in the standard protocol; `{id}` stands for {@link UpstreamRequest.id}. */
  readonly path: (paths: Settings['external']['paths']) => string;
}

/** What a query requests from the external system, whatever the wire format. */
export interface UpstreamRequest {
  readonly operation: UpstreamOperation;
  /** The identifier of a lookup; has passed validation. */
  readonly id?: string;
  readonly parameters?: UpstreamParameters;
}

/** The path and query of one request on the wire. Values are encoded, names of parameters are not. */
export interface UpstreamTarget {
  /** Below the base URL, such as `/shippings/by-id/{id}`. Spans show it, so it holds no value. */
  readonly path: string;
  /** Replaces `{id}` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, ParameterValue>>;
}

/** An upstream response; `data` is parsed JSON where the status is 2xx, and text otherwise. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/**
 * Sends one `GET` request. The requests of one call are sent one after the other. They share its deadline, its retries and
 * its entry in the cache: where one fails, the call fails, and a retry sends all of them again.
 */
export type Send = (target: UpstreamTarget) => Promise<UpstreamResponse>;

/**
 * The wire format of the external system: turns requests into paths and queries, and upstream responses into records and
 * paging values. Each method throws an `UpstreamFailure` for a response that it cannot use, see `http-failures.ts`.
 *
 * Another one is bound by `AppModule.withProtocol`.
 */
export abstract class ShippingProtocol {
  /**
   * Refuses what the external system cannot do, before anything is sent or read from the cache.
   *
   * @throws {InvalidParametersException}
   */
  check?(request: UpstreamRequest): void;

  /** The one record with this identifier, or the newest that matches all criteria; `NO_MATCH` where there is none. */
  abstract record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>>;

  /** All records that match, `Limit` at most. */
  abstract list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>>;

  /** One page of the records that match, in the requested order. */
  abstract page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>>;
}
