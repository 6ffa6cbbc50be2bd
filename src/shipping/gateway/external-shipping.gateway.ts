import { Inject, Injectable, Optional } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings';
import { Metrics } from '../../metrics/metrics';
import { outcomeOf } from '../../telemetry/outcome';
import { tracing } from '../../telemetry/tracing';
import type { CallContext } from '../model/call-context';
import type { Answer } from '../model/completeness';
import type { PagedShippingList } from '../model/paged-shipping-list';
import type { ShippingDetail } from '../model/shipping-detail';
import type { ShippingLookupItem } from '../model/shipping-lookup-item';
import type { ShippingStatus } from '../model/shipping-status';
import type { PageSorting } from '../model/sorting';
import { AnswerCache, type Cacheable } from './cache/answer-cache';
import { ExternalHttpClient, type Reply } from './external-http-client';
import { failedStatus, isSuccess } from './failures';
import type { Operation } from './operation';
import { CallPolicy } from './policy/call-policy';
import type { Attempt } from './policy/attempt-runner';
import { toLookupItems, toPagedList, toShippingDetail } from './reply-mapping';
import { retryAfterMs } from './retry-after';

/** Filters as they travel to the external system; absent ones are left out. */
export interface ShippingFilter {
  readonly SearchTerm?: string;
  readonly OrderId?: string;
  readonly Status?: ShippingStatus;
  readonly FromDate?: Date;
  readonly ToDate?: Date;
}

/** What identifies one record, and what may narrow it. */
export interface ShippingCriteria extends Omit<ShippingFilter, 'SearchTerm'> {
  readonly Id?: string;
  readonly TrackingNumber?: string;
}

export interface ShippingDetailsFilter extends ShippingFilter {
  readonly Limit?: number;
}

export interface ShippingPageRequest extends ShippingFilter {
  readonly PageNumber: number;
  readonly PageSize: number;
}

type QueryValue = string | number | Date | undefined;

/** What is asked of the external system. */
interface ExternalRequest {
  readonly operation: Operation;
  /** Path that stands for all such requests, such as `/shippings/by-id/{id}`. */
  readonly template: string;
  /** Path and query string, below the base URL. */
  readonly path: string;
}

/**
 * The external shipping system, in the language of the queries.
 *
 * Every method goes through {@link call}, which owns the cache, deadlines, retries, the circuit, metrics and the translation of
 * errors. All of them throw `ExternalSystemFailure` where there is no usable reply, and `CallerLeft` where nobody waits.
 */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly client: ExternalHttpClient,
    private readonly policy: CallPolicy,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Optional() private readonly cache?: AnswerCache,
  ) {}

  /** @returns the one record that all criteria describe, `undefined` where none does */
  getShippingSingle(criteria: ShippingCriteria, context: CallContext): Promise<Answer<ShippingDetail> | undefined> {
    const { Id, OrderId, TrackingNumber, Status, FromDate, ToDate } = criteria;
    const query = queryString({ Id, OrderId, TrackingNumber, Status, FromDate, ToDate });
    return this.call(requestOf('single', this.settings.external.paths.single, query), context, toDetailOrNone);
  }

  /**
   * @param id an identifier that has passed validation
   * @returns the record of this identifier, `undefined` where there is none
   */
  getShippingInfoById(id: string, context: CallContext): Promise<Answer<ShippingDetail> | undefined> {
    const template = this.settings.external.paths.byId;
    const path = template.replace('{id}', () => encodeURIComponent(id));
    return this.call({ operation: 'by-id', template, path }, context, toDetailOrNone);
  }

  /** @returns the records that match, at most `Limit` */
  getShippingDetails(filter: ShippingDetailsFilter, context: CallContext): Promise<Answer<ShippingLookupItem[]>> {
    const { SearchTerm, OrderId, Status, FromDate, ToDate, Limit } = filter;
    const query = queryString({ SearchTerm, OrderId, Status, FromDate, ToDate, Limit });
    return this.call(requestOf('details', this.settings.external.paths.details, query), context, (reply) =>
      toLookupItems(succeeded(reply)),
    );
  }

  /** @returns one page of the records that match */
  getShippingPagedList(
    request: ShippingPageRequest,
    { SortBy, SortDirection }: PageSorting,
    context: CallContext,
  ): Promise<Answer<PagedShippingList>> {
    const { PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate } = request;
    const query = queryString({
      PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate, SortBy, SortDirection,
    }); // prettier-ignore
    return this.call(requestOf('paged', this.settings.external.paths.paged, query), context, (reply) =>
      toPagedList(succeeded(reply), request),
    );
  }

  /** The single call that everything goes through. Identical calls, by operation, path and query, may share one. */
  private call<T extends Cacheable>(
    request: ExternalRequest,
    context: CallContext,
    read: (reply: Reply) => T,
  ): Promise<T> {
    const { operation, path } = request;
    const key = `${operation} ${path}`;
    const attempt: Attempt<T> =
      this.tracedAttempt(request, context, read) ??
      ((abandonment) => this.client.get(path, context, abandonment).then(read));
    if (this.cache === undefined) return this.execute(operation, key, context, attempt);
    const execute = <F>(fetching: Attempt<F>): Promise<F> => this.execute(operation, key, context, fetching);
    return this.cache.answer({ operation, key, context, attempt, execute });
  }

  private execute<T>(operation: Operation, key: string, context: CallContext, attempt: Attempt<T>): Promise<T> {
    const call = (): Promise<T> => this.policy.execute(key, attempt, context.signal);
    return this.metrics.timeExternalCall(operation, call, context.timing);
  }

  /** An attempt with a span of its own each time it is made, of which the external system is told. */
  private tracedAttempt<T>(
    { operation, template, path }: ExternalRequest,
    context: CallContext,
    read: (reply: Reply) => T,
  ): Attempt<T> | undefined {
    const traces = tracing();
    if (traces === undefined) return undefined;
    const target = { operation, baseUrl: this.client.baseUrl, template };
    let sent = 0;
    return (abandonment) =>
      traces.call(
        target,
        sent++,
        async (traceparent, noteStatus) => {
          const reply = await this.client.get(path, { ...context, traceparent }, abandonment);
          noteStatus(reply.status);
          return read(reply);
        },
        (error) => outcomeOf(abandonment.reason ?? error),
      );
  }
}

function toDetailOrNone(reply: Reply): Answer<ShippingDetail> | undefined {
  if (reply.status === 404 || reply.status === 204 || reply.data === null) return undefined;
  return toShippingDetail(succeeded(reply));
}

/** The body of a reply with a status of 2xx. */
function succeeded({ status, data, headers }: Reply): unknown {
  if (isSuccess(status)) return data;
  const retryAfter = headers['retry-after'] as string | undefined;
  throw failedStatus(status, retryAfterMs(retryAfter, Date.now()));
}

function requestOf(operation: Operation, template: string, query: string): ExternalRequest {
  return { operation, template, path: template + query };
}

/** Joined, not added up: a text in pieces would take three times the memory for as long as its call waits. */
function queryString(values: Readonly<Record<string, QueryValue>>): string {
  const pairs: string[] = [];
  for (const name in values) {
    const value = values[name];
    if (value === undefined) continue;
    const text = value instanceof Date ? value.toISOString() : String(value);
    pairs.push(`${name}=${encodeURIComponent(text)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
