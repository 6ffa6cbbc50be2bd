import type { FailureReason } from '../../resilience/upstream-failure';

/** How much of the data of the external system a result has, and why not all. */
export type Completeness =
  | {
      readonly level: 'complete';
      /** The list has as many records as this limit, so that it may be cut off. */
      readonly limit?: number;
      /** The sentence that says which paging values contradicted the total, and were derived. It is logged (D14, D81). */
      readonly cause?: string;
    }
  | {
      readonly level: 'partial' | 'stale' | 'unavailable';
      readonly reason: FailureReason;
      /**
       * Number of malformed records that were left out, and of records and shipping items beyond the most that a
       * response may have (D19, D73).
       */
      readonly dropped?: number;
      /** The sentence that says what was wrong. It is logged, and no client sees it (D81). */
      readonly cause?: string;
    };

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Completeness = Object.freeze({ level: 'partial', reason: 'bad-reply' });

/** The same completeness with a further cause. */
export function withCause(before: Completeness, cause: string): Completeness {
  return { ...before, cause: before.cause === undefined ? cause : `${before.cause}, ${cause}` };
}

/** The completeness of a result in which something else is wrong, too: a complete one becomes partial. */
export function asPartial(before: Completeness, cause: string, dropped = 0): Completeness {
  const named = withCause(before, cause);
  const partial =
    named.level === 'complete' ? ({ level: 'partial', reason: 'bad-reply', cause: named.cause } as const) : named;
  return dropped === 0 ? partial : { ...partial, dropped: dropped + droppedOf(before) };
}

/** The number of records that were left out. */
export function droppedOf(completeness: Completeness): number {
  return completeness.level === 'complete' ? 0 : (completeness.dropped ?? 0);
}

/** A response body, and the values from which its headers are made. */
export interface QueryResult<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
  readonly cache?: CacheReport;
}

/** The result of a lookup where no record matches. */
export const NO_MATCH: QueryResult<undefined> = Object.freeze({ body: undefined, completeness: COMPLETE });

export interface CacheReport {
  /** The parameters of the header `Cache-Status` (RFC 9211), such as `hit`. */
  readonly status: string;
  readonly ageSeconds?: number;
}
