import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type Cause, LoggedError } from '../../common/errors';
import type { Principal, ReportedData } from '../../http/requests/request-record';
import { continueTrace, traceparentOf } from '../../observability/tracing/tracing';
import type { PlainSignal, Signal } from '../../resilience/deadline';
import { type CacheReport, type Completeness, linksOf, type PageLinks, type QueryResult } from './query-result';

/**
 * The part of a request that the handler of its query needs: ids, the client's preference and disconnect, forwarded
 * headers.
 */
export interface QueryContext {
  readonly requestId: string;
  readonly traceparent: string;
  /**
   * Whether the client wants an error instead of an empty list where the external system fails (`Prefer:
   * handling=strict`).
   */
  readonly strict: boolean;
  /**
   * Ends the upstream call when it is aborted. In a request, it is aborted when the client disconnects. A scheduled
   * job, which has no client, may give an `AbortSignal`.
   */
  readonly signal?: AbortSignal;
  /** The same as `signal` in a request, as an object that costs nothing to make. */
  readonly client?: Signal;
  /**
   * Headers of the client that are sent on to the external system. Clients with other values share no cached result.
   */
  readonly forwarded?: Readonly<Record<string, string>>;
  readonly user?: Principal;
  /** Where the gateway reports what it finds, for the response to the request; `undefined` without a request. */
  readonly report?: ResultReport;
}

type JobOptions = Partial<Omit<QueryContext, 'requestId' | 'traceparent' | 'client' | 'report'>>;

/** The context of a query without a request, such as that of a scheduled job: only its result says how complete it is. */
export function jobContext(given: JobOptions = {}): QueryContext {
  return { strict: false, ...given, requestId: randomUUID(), traceparent: traceparentOf(continueTrace(undefined)) };
}

/**
 * Injects the {@link QueryContext} of a request. Each 200 of the route then has to say how complete it is, also one of an
 * interceptor that has not called the handler (D83).
 */
export const ShippingContext = createParamDecorator(injectedContext, [reportsCompleteness]);

function injectedContext(_: unknown, execution: ExecutionContext): QueryContext {
  if (execution.getType() !== 'http') throw new LoggedError('Without an HTTP request, a query needs jobContext()');
  return queryContextOf(execution.getArgByIndex(0));
}

function reportsCompleteness(controller: object, method: string | symbol | undefined): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller, method ?? '');
  if (descriptor !== undefined) RouteConfig({ reportsCompleteness: 'by query' })(controller, method ?? '', descriptor);
}

/** The context of the queries that are executed for a request, where {@link ShippingContext} cannot inject it. */
export function queryContextOf({ id, record, strict, forwarded, user }: FastifyRequest): QueryContext {
  const report = record.data instanceof ResultReport ? record.data : new ResultReport();
  record.data = report;
  const traceparent = traceparentOf(record.trace);
  const context = { requestId: id, traceparent, strict, client: record.client, forwarded, user, report };
  return Object.defineProperty<QueryContext>(context, 'signal', SIGNAL);
}

/**
 * `signal` is made where code reads it, because an `AbortController` takes 4 µs of a request. One getter for all: V8
 * makes a dictionary of an object with a getter of its own, which takes some 3 µs more.
 */
const SIGNAL: PropertyDescriptor & ThisType<{ readonly client: PlainSignal }> = {
  get() {
    return this.client.signal;
  },
};

/** The worse a completeness, the larger its number. */
const SEVERITY = { complete: 0, partial: 2, stale: 3, unavailable: 4 };

/** What the queries of one request have found of the data. Its response says so, whatever the handler returns (D83). */
export class ResultReport implements ReportedData {
  /** What a handler states: it counts instead of what its queries have found or will find. */
  stated: Completeness | undefined;
  /** The worst of several; `undefined` where no query has reported. */
  private found: Completeness | undefined;
  /** That of the oldest result. */
  cache: CacheReport | undefined;
  /** The page that the response links to others from. */
  page: PageLinks | undefined;

  get completeness(): Completeness | undefined {
    return this.stated ?? this.found;
  }

  /** Adds what one query has found. */
  add({ completeness, cache }: Pick<QueryResult<unknown>, 'completeness' | 'cache'>): void {
    const isOlder = (cache?.ageSeconds ?? 0) > (this.cache?.ageSeconds ?? 0);
    if (this.cache === undefined || isOlder) this.cache = cache;
    if (this.found === undefined || severityOf(completeness) > severityOf(this.found)) this.found = completeness;
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

/**
 * States how complete the response to a request is, where its handler has replaced what its queries did not find, such
 * as by a fallback. Without this statement, the worst that a query has found counts.
 */
export function stateCompleteness({ report }: Pick<QueryContext, 'report'>, completeness: Completeness): void {
  if (report !== undefined) report.stated = completeness;
}

/**
 * Adds links to other pages to the response (`Link`, RFC 8288), with all known parameters that the client gave, where the
 * result is a page.
 */
export function linkPages({ report }: Pick<QueryContext, 'report'>, result: QueryResult<unknown>): void {
  const { unread } = result;
  if (report !== undefined) report.page = unread === undefined ? linksOf(result.body) : unread.links;
}
