import type { Settings } from '../../../config/settings';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import type { ShippingStatus } from '../../model/shipping-status';

type ParameterValue = string | number | Date | undefined;

/** Validated parameters, by the names of the specification. */
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
  /** In metrics, spans and the cache. */
  readonly name: string;
  /** In the standard protocol, with `{id}`. */
  readonly path: (paths: Settings['external']['paths']) => string;
}

/** What a query requests, whatever the wire format. */
export interface UpstreamRequest {
  readonly operation: UpstreamOperation;
  readonly id?: string;
  readonly parameters?: UpstreamParameters;
}

/** One request on the wire; values are encoded, names of parameters are not. */
export interface UpstreamTarget {
  /** Such as `/shippings/by-id/{id}`; without values, because spans show it. */
  readonly path: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, ParameterValue>>;
}

/**
 * `data` is parsed JSON where the status is 2xx, and otherwise text, or `UNREADABLE_BODY` where the body broke off, was too
 * large or could not be decoded.
 */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/** Sends one `GET` request, after those before; all share deadline, retries and cache entry of the call. */
export type Send = (target: UpstreamTarget) => Promise<UpstreamResponse>;

/**
 * Port: the wire format of the external system; `AppModule.withProtocol` binds another one.
 * Methods throw an `UpstreamFailure` for a response that they cannot use, see `http-failures.ts`.
 */
export abstract class ShippingProtocol {
  /** @throws {InvalidParametersException} for what the external system cannot do, before the cache is read */
  check?(request: UpstreamRequest): void;

  /** The record with this identifier, or the newest that matches all criteria; or `NO_MATCH`. */
  abstract record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>>;

  /** All records that match, `Limit` at most. */
  abstract list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>>;

  /** One page of the records that match, in the requested order. */
  abstract page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>>;
}
