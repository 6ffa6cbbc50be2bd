import type { Cause } from '../../common/errors';
import type { ReportedData } from '../../http/requests/request-record';
import { causesOf, UpstreamFailure } from '../../resilience/upstream-failure';
import { type CacheReport, type Completeness, linksOf, type PageLinks, type QueryResult } from './query-result';

/** The worse a completeness, the larger its number. */
const SEVERITY = { complete: 0, partial: 2, stale: 3, unavailable: 4 };

/** What the queries of one request have found of the data. Its response says so, whatever the handler returns (D83). */
export class ResultReport implements ReportedData {
  /** The worst of several; `undefined` where no query has reported. */
  completeness: Completeness | undefined;
  /** That of the oldest result. */
  cache: CacheReport | undefined;
  /** The page that the response links to others from. */
  page: PageLinks | undefined;
  private isStated = false;

  /** Adds what one query has found. */
  add({ completeness, cache }: Pick<QueryResult<unknown>, 'completeness' | 'cache'>): void {
    const isOlder = (cache?.ageSeconds ?? 0) > (this.cache?.ageSeconds ?? 0);
    if (this.cache === undefined || isOlder) this.cache = cache;
    if (this.isStated) return;
    const before = this.completeness;
    if (before === undefined || severityOf(completeness) > severityOf(before)) this.completeness = completeness;
  }

  /** States how complete the response is, whatever its queries have found or will find. */
  state(completeness: Completeness): void {
    this.completeness = completeness;
    this.isStated = true;
  }

  get label(): string | undefined {
    const { completeness } = this;
    if (completeness === undefined || completeness.level === 'complete') return completeness?.level;
    return `${completeness.level};reason=${completeness.reason}`;
  }

  get causes(): readonly Cause[] | undefined {
    return this.completeness?.causes;
  }
}

function severityOf(completeness: Completeness): number {
  const isCutOff = completeness.level === 'complete' && completeness.limit !== undefined;
  return isCutOff ? 1 : SEVERITY[completeness.level];
}

/** The completeness of what an error has prevented. */
export function unavailableBy(error: unknown): Completeness {
  const reason = error instanceof UpstreamFailure ? error.reason : 'internal';
  return { level: 'unavailable', reason, causes: causesOf(error) };
}

/** A query's context; without a request it has no report. */
interface Reporting {
  readonly report?: ResultReport;
}

/**
 * States how complete the response to a request is, where its handler has replaced what its queries did not find, such
 * as by a fallback. Without this statement, the worst that a query has found counts.
 */
export function stateCompleteness({ report }: Reporting, completeness: Completeness): void {
  report?.state(completeness);
}

/**
 * Adds links to other pages to the response (`Link`, RFC 8288), with all known parameters that the client gave, where the
 * result is a page.
 */
export function linkPages({ report }: Reporting, result: QueryResult<unknown>): void {
  const { unread } = result;
  if (report !== undefined) report.page = unread === undefined ? linksOf(result.body) : unread.links;
}
