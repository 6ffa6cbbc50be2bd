import type { Cause } from '../../common/errors';
import { ProblemException, PROBLEMS } from '../../http/problems/problem-definitions';
import type { SharedBody } from '../../http/shared-body';
import { causesOf, type FailureReason, UpstreamFailure } from '../../resilience/upstream-failure';
import type { PagedShippingList } from './response-bodies';

/** How much of the data of the external system a result has, and why not all. */
export type Completeness = Complete | Incomplete;

interface Complete {
  readonly level: 'complete';
  /** The list has as many records as this limit, so that it may be cut off. */
  readonly limit?: number;
  /** What was odd: paging values that contradicted the total, unknown status words. It is logged (D14, D81). */
  readonly causes?: readonly Cause[];
}

interface Incomplete {
  readonly level: 'partial' | 'stale' | 'unavailable';
  readonly reason: FailureReason;
  /**
   * Number of malformed records that were left out, and of records and shipping items beyond the most that a response may
   * have (D19, D73).
   */
  readonly dropped?: number;
  /** What was wrong. It is logged, and no client sees it (D81). */
  readonly causes?: readonly Cause[];
}

export const COMPLETE: Completeness = Object.freeze({ level: 'complete' });
export const PARTIAL: Incomplete = Object.freeze({ level: 'partial', reason: 'bad-reply' });

/** The same completeness with further causes. */
export function withCauses<Before extends Completeness>(before: Before, causes: readonly Cause[]): Before {
  return { ...before, causes: [...(before.causes ?? []), ...causes] };
}

/** The completeness of a result in which something else is wrong, too: a complete one becomes partial. */
export function asPartial(before: Completeness, causes: readonly Cause[], dropped = 0): Completeness {
  const incomplete = before.level === 'complete' ? { ...PARTIAL, causes: before.causes } : before;
  const partial = withCauses(incomplete, causes);
  return dropped === 0 ? partial : { ...partial, dropped: dropped + droppedOf(before) };
}

/** The completeness of a list that may be cut off at this number of records (D31). */
export function limitedTo(limit: number, before: Completeness): Completeness {
  return before.level === 'complete' ? { ...before, limit } : before;
}

/** The completeness of what an error has prevented. */
export function unavailableBy(error: unknown): Completeness {
  const reason = error instanceof UpstreamFailure ? error.reason : 'internal';
  return { level: 'unavailable', reason, causes: causesOf(error) };
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
  /** The body as the cache shares it; `undefined` where the result has a body of its own, or code has read a copy. */
  readonly unread?: SharedJson | undefined;
}

/** The result of a lookup where no record matches. */
export const NO_MATCH: QueryResult<undefined> = Object.freeze({ body: undefined, completeness: COMPLETE });

export interface CacheReport {
  /** The parameters of the header `Cache-Status` (RFC 9211), such as `hit`. */
  readonly status: string;
  readonly ageSeconds?: number;
}

/** The values of a page from which its links are made. */
export type PageLinks = Pick<PagedShippingList, 'pageNumber' | 'totalPages' | 'hasPreviousPage' | 'hasNextPage'>;

/** The body of a result that many clients get, as it is sent. */
export interface SharedJson {
  readonly body: SharedBody;
  /** Only a page has them. */
  readonly links?: PageLinks;
}

/**
 * A result whose body many clients get. Code that reads `body` gets a copy of its own, parsed when it is read for the
 * first time, so that no change reaches another client (D74); what it has done to the copy is what is sent. Where no code
 * has read it, it is sent as it is stored.
 */
export class StoredResult<Body> implements QueryResult<Body> {
  /**
   * `body` as a property of each result, so that `{ ...result }` has it, too. One getter for all: V8 makes a dictionary of
   * an object with a getter of its own, which takes 4 µs of a hit.
   */
  private static readonly BODY: PropertyDescriptor & ThisType<StoredResult<unknown>> = {
    enumerable: true,
    get() {
      return (this.copy ??= JSON.parse(this.json.body.json.toString()) as unknown);
    },
  };
  readonly body!: Body;
  private copy: Body | undefined;

  constructor(
    private readonly json: SharedJson,
    readonly completeness: Completeness,
    readonly cache?: CacheReport,
  ) {
    Object.defineProperty(this, 'body', StoredResult.BODY);
  }

  get unread(): SharedJson | undefined {
    return this.copy === undefined ? this.json : undefined;
  }
}

/** @throws {ProblemException} 404 where no record matches, that is, where the body is `undefined` */
export function foundOrThrow<Body>(result: QueryResult<Body | undefined>): QueryResult<Body> {
  // Reading the body of a stored result would make a copy of it.
  if (result.unread === undefined && result.body === undefined) throw new ProblemException(PROBLEMS.shippingNotFound);
  return result as QueryResult<Body>;
}

/** What the links of a page need of a body; `undefined` where the body is no page. */
export function linksOf(body: unknown): PageLinks | undefined {
  if (typeof body !== 'object' || body === null || !('totalPages' in body)) return undefined;
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = body as PagedShippingList;
  return { pageNumber, totalPages, hasPreviousPage, hasNextPage };
}
