import type { FailureReason } from '../../resilience/upstream-failure';

/** How much of the data of the external system a result has, and why not all. */
export type Completeness =
  | {
      readonly level: 'complete';
      /** The list has as many records as this limit, or more: it may be cut off. */
      readonly limit?: number;
    }
  | {
      readonly level: 'partial' | 'stale' | 'unavailable';
      readonly reason: FailureReason;
      /** How many records of a `partial` result were malformed and left out. */
      readonly dropped?: number;
    };

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Completeness = Object.freeze({ level: 'partial', reason: 'bad-reply' });

/** What the gateway and a query handler return: the response body, and what headers say about it. */
export interface QueryResult<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
  /** How the cache served the call; `undefined` without a cache. */
  readonly cache?: CacheReport;
}

/** The result of a lookup where no record matches. */
export const NO_MATCH: QueryResult<undefined> = Object.freeze({ body: undefined, completeness: COMPLETE });

export interface CacheReport {
  /** Parameters of a member of `Cache-Status` (RFC 9211). */
  readonly status: string;
  /** The age of a cached result in whole seconds. */
  readonly ageSeconds?: number;
}
