import { HttpService } from '@nestjs/axios';
import { Injectable, Optional } from '@nestjs/common';
import { Subject } from 'rxjs';
import { printCauses } from '../../common/errors';
import { ThrottledLog } from '../../observability/logging/throttled-log';
import { type Call, CallPolicy } from '../../resilience/call-policy';
import type { Signal } from '../../resilience/deadline';
import { asFailure, ClientDisconnectedError, UpstreamFailure } from '../../resilience/upstream-failure';
import { MAX_LIMIT } from '../model/parameter-rules';
import type { QueryContext } from '../model/query-context';
import { type QueryResult, unavailableBy } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { cacheKey, ResultCache } from './cache/result-cache';
import { UpstreamCredentials } from './credentials/upstream-credentials';
import type { Method } from './protocol/compare-with-request';
import { ProtocolCalls } from './protocol/protocol-call';
import { ShippingProtocol, type UpstreamRequest } from './protocol/shipping-protocol';
import { UpstreamSystem } from './transport/undici-http.service';
import { UpstreamAccess, UpstreamCall } from './upstream-call';

/**
 * Calls the external system, with cache and call policy. All methods throw `UpstreamFailure`,
 * `ClientDisconnectedError`, `InvalidParametersException` for a request that the bound `ShippingProtocol` refuses,
 * `ProblemException` for an operation that it does not have, and `LoggedError` for any other error that the
 * `ShippingProtocol` throws (D86).
 */
@Injectable()
export class ExternalShippingGateway {
  private readonly failed = new Subject<{ readonly operation: string; readonly failure: UpstreamFailure }>();
  /**
   * Each call that has failed, with its causes, also where a client gets a stale result: for counters and alerts of an
   * application, which injects the gateway. What a subscriber throws is not caught.
   */
  readonly failures = this.failed.asObservable();
  private readonly failureLog = new ThrottledLog('ExternalSystem');
  /** A log of its own: what a system sends as status words must not use up the sentences of failures. */
  private readonly valueLog = new ThrottledLog('ExternalSystem');
  private readonly connectionLog = new ThrottledLog('ExternalConnection');
  private readonly access: UpstreamAccess;

  constructor(
    http: HttpService,
    { url }: UpstreamSystem,
    protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    @Optional() private readonly cache?: ResultCache,
    @Optional() credentials?: UpstreamCredentials,
  ) {
    this.access = new UpstreamAccess(http, url, new ProtocolCalls(protocol), credentials);
  }

  /** The body is `undefined` where no record matches. */
  record(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingDetail | undefined>> {
    return this.call('record', request, context);
  }

  /**
   * Returns at most `Limit` records, and at most 10,000. Where the list may be cut off, its completeness has a `limit`,
   * which clients see in `Shipping-Completeness` (D31, D73).
   */
  list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    const { parameters } = request;
    const Limit = parameters?.Limit === undefined ? undefined : Math.min(parameters.Limit, MAX_LIMIT);
    return this.call('list', { ...request, parameters: { ...parameters, Limit } }, context);
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.call('page', this.access.protocol.sortable(request), context);
  }

  private async call<M extends Method>(method: M, request: UpstreamRequest, context: QueryContext) {
    const { cache } = this;
    // Node 20 takes 3 % of a page of ten to set a field behind a spread.
    const asked = Object.assign({}, request, { forwarded: context.forwarded });
    try {
      this.access.protocol.check(asked);
      // With the cache, clients share a call, so that the disconnect of one client must not end it (D75).
      const result = cache
        ? await cache.resolve(asked.operation.name, cacheKey(asked), () => this.execute(method, asked, context))
        : await this.execute(method, asked, context, context.client ?? context.signal);
      context.report?.add(result);
      return result;
    } catch (error) {
      // An error that a handler replaces by something of its own must not become a 200 without a word (D83).
      if (!(error instanceof ClientDisconnectedError)) context.report?.add({ completeness: unavailableBy(error) });
      throw error;
    }
  }

  /** Calls the external system, and logs why that fails or returns less than everything (D81). */
  private async execute<M extends Method>(method: M, request: UpstreamRequest, context: QueryContext, client?: Signal) {
    const { access } = this;
    const { name } = request.operation;
    const use = (call: Call) => access.protocol.call(method, request, new UpstreamCall(access, name, context, call));
    try {
      const result = await this.policy.execute(name, use, client);
      this.connectionLog.recovered('The external system is reachable');
      // Each cause has a line without its count: all of them together would rarely come twice, and be a line each time.
      const what = result.completeness.level === 'complete' ? 'unusual' : 'malformed';
      for (const { count = 1, ...cause } of result.completeness.causes ?? []) {
        this.valueLog.failed(`The external system sends ${what} values: ${name}: ${printCauses([cause])}`, count);
      }
      return result;
    } catch (error) {
      if (error instanceof ClientDisconnectedError) throw error;
      const failure = asFailure(error);
      const { reason, what, unreachable } = failure;
      this.failureLog.failed(`The ${reason === 'internal' ? 'service' : 'external system'} failed: ${name}: ${what}`);
      if (unreachable !== undefined) this.connectionLog.failed(`The external system is unreachable: ${unreachable}`);
      this.failed.next({ operation: name, failure });
      throw error;
    }
  }
}
