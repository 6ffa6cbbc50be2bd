import type { FailureReason } from '../../resilience/upstream-failure';

/** How much of the data of the external system a result has, and why not all. */
export type Completeness =
  | {
      readonly level: 'complete';
      /** The list may be cut off at this many records. */
      readonly limit?: number;
    }
  | {
      readonly level: 'partial' | 'stale' | 'unavailable';
      readonly reason: FailureReason;
      /** Number of malformed records that were left out. */
      readonly dropped?: number;
      /** The sentence that says why, for the log alone: no client sees it (D81). */
      readonly cause?: string;
    };

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Completeness = Object.freeze({ level: 'partial', reason: 'bad-reply' });

/** A response body, and what headers say about it. */
export interface QueryResult<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
  readonly cache?: CacheReport;
}

/** The result of a lookup where no record matches. */
export const NO_MATCH: QueryResult<undefined> = Object.freeze({ body: undefined, completeness: COMPLETE });

export interface CacheReport {
  /** Parameters of `Cache-Status` (RFC 9211). */
  readonly status: string;
  readonly ageSeconds?: number;
}
