import { Inject, Injectable, Optional } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings';
import { Metrics } from '../../metrics/metrics';
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
    return this.call('single', this.settings.external.paths.single + query, context, toDetailOrNone);
  }

  /**
   * @param id an identifier that has passed validation
   * @returns the record of this identifier, `undefined` where there is none
   */
  getShippingInfoById(id: string, context: CallContext): Promise<Answer<ShippingDetail> | undefined> {
    const path = this.settings.external.paths.byId.replace('{id}', () => encodeURIComponent(id));
    return this.call('by-id', path, context, toDetailOrNone);
  }

  /** @returns the records that match, at most `Limit` */
  getShippingDetails(filter: ShippingDetailsFilter, context: CallContext): Promise<Answer<ShippingLookupItem[]>> {
    const { SearchTerm, OrderId, Status, FromDate, ToDate, Limit } = filter;
    const query = queryString({ SearchTerm, OrderId, Status, FromDate, ToDate, Limit });
    return this.call('details', this.settings.external.paths.details + query, context, (reply) =>
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
    return this.call('paged', this.settings.external.paths.paged + query, context, (reply) =>
      toPagedList(succeeded(reply), request),
    );
  }

  /** The single call that everything goes through. Identical calls, by operation, path and query, may share one. */
  private call<T extends Cacheable>(
    operation: Operation,
    path: string,
    context: CallContext,
    read: (reply: Reply) => T,
  ): Promise<T> {
    const key = `${operation} ${path}`;
    const attempt: Attempt<T> = async (abandonment) => read(await this.client.get(path, context, abandonment));
    if (this.cache === undefined) return this.execute(operation, key, context, attempt);
    return this.cache.answer({
      operation,
      key,
      context,
      attempt,
      execute: (fetching) => this.execute(operation, key, context, fetching),
    });
  }

  private execute<T>(operation: Operation, key: string, context: CallContext, attempt: Attempt<T>): Promise<T> {
    return this.metrics.timeExternalCall(operation, () => this.policy.execute(key, attempt, context.signal));
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

function queryString(values: Readonly<Record<string, QueryValue>>): string {
  let query = '';
  for (const name in values) {
    const value = values[name];
    if (value === undefined) continue;
    const text = value instanceof Date ? value.toISOString() : String(value);
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(text)}`;
  }
  return query;
}
