import type { Completeness } from './completeness';

/** What a query handler returns: the response body, and facts about it for headers. */
export interface QueryResult<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
  /** How the result was obtained; `undefined` where the external system was not called. */
  readonly facts?: CallFacts;
}

/** Facts about the call of a query, successful or not. */
export interface CallFacts {
  /** How the cache served the call; `undefined` without a cache. */
  readonly cache?: CacheReport;
  /** Milliseconds that the call took, waits and retries included; `undefined` unless `SERVER_TIMING` is on. */
  readonly externalMs?: number;
}

/** How the cache served a call. */
export interface CacheReport {
  /** Parameters of a member of `Cache-Status` (RFC 9211). */
  readonly status: string;
  /** The age of a cached result in whole seconds. */
  readonly ageSeconds?: number;
}
