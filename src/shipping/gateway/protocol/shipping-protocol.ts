import type { MappedBody, ParameterValue, Results, UpstreamRequest } from './operation';
import type { UpstreamResponse } from '../transport/upstream-response';

/** The path and query of one upstream request. */
export interface UpstreamTarget {
  /** Path below the base URL, such as `/shippings/by-id/{id}`. Spans and metrics show it, so it holds no value. */
  readonly path: string;
  /** Replaces `{id}` in the path, encoded. */
  readonly id?: string;
  /** Names are sent as they are, values are encoded. */
  readonly query?: Readonly<Record<string, ParameterValue>>;
}

/**
 * Sends one `GET` request. The requests of one call are sent one after the other. They share its deadline, its retries and
 * its entry in the cache: where one fails, the call fails, and a retry sends all of them again.
 */
export type Send = (target: UpstreamTarget) => Promise<UpstreamResponse>;

/** A mapped result; `undefined`: no record matches. */
type Mapped<Result extends keyof Results> =
  MappedBody<NonNullable<Results[Result]>> | Extract<Results[Result], undefined>;

/**
 * The wire format of the external system: turns requests into paths and queries, and upstream responses into records and
 * paging values. Each method throws an `AttemptFailure` for a response that it cannot use, see `http-failures.ts`.
 *
 * A replacement is bound by `protocol` of `createApp`.
 */
export abstract class ShippingProtocol {
  /** The one record with this identifier, or the newest that matches all criteria. */
  abstract record(request: UpstreamRequest, send: Send): Promise<Mapped<'record'>>;

  /** All records that match, `Limit` at most. */
  abstract list(request: UpstreamRequest, send: Send): Promise<Mapped<'list'>>;

  /** One page of the records that match, in the requested order. */
  abstract page(request: UpstreamRequest, send: Send): Promise<Mapped<'page'>>;
}
