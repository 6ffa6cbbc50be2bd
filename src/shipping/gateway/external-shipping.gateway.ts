import { Injectable, Optional } from '@nestjs/common';
import type { AbortEmitter } from '../../common/abort-emitter';
import { CallPolicy } from '../../resilience/call-policy';
import { outcomeOf } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { ResultCache } from './cache/result-cache';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol, type Send, type UpstreamRequest } from './protocol/shipping-protocol';
import { UpstreamSender } from './transport/upstream-sender';

/**
 * The external shipping system, for the queries: through the cache, under the call policy, by the protocol.
 *
 * All methods throw `UpstreamFailure` where there is no usable response, and `ClientDisconnectedError`.
 */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly sender: UpstreamSender,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    private readonly metrics: GatewayMetrics,
    @Optional() private readonly cache?: ResultCache,
  ) {}

  /** One record; the body is `undefined` where none matches. */
  record(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingDetail | undefined>> {
    return this.cached(request, context, (send) => this.protocol.record(request, send));
  }

  list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.cached(request, context, (send) => this.protocol.list(request, send));
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.cached(request, context, (send) => this.protocol.page(request, send));
  }

  private cached<Body>(
    { operation: { name }, id, parameters }: UpstreamRequest,
    context: QueryContext,
    ask: (send: Send) => Promise<QueryResult<Body>>,
  ): Promise<QueryResult<Body>> {
    if (this.cache === undefined) return this.call(name, context, ask, context.signal);
    const key = `${name} ${JSON.stringify([id, parameters, context.forwarded])}`;
    // A call that clients share does not end when one of them disconnects.
    return this.cache.resolve(name, key, () => this.call(name, context, ask));
  }

  private async call<Body>(
    operation: string,
    context: QueryContext,
    ask: (send: Send) => Promise<QueryResult<Body>>,
    client?: AbortEmitter,
  ): Promise<QueryResult<Body>> {
    const start = performance.now();
    let resends = 0;
    const attempt = (abort: AbortEmitter, onNewConnection: boolean): Promise<QueryResult<Body>> =>
      ask(this.sender.forAttempt({ operation, context, abort, onNewConnection, resends: resends++ }));
    try {
      const result = await this.policy.execute(operation, attempt, client);
      this.metrics.callSettled(operation, 'success', performance.now() - start);
      return result;
    } catch (error) {
      this.metrics.callSettled(operation, outcomeOf(error), performance.now() - start);
      throw error;
    }
  }
}
