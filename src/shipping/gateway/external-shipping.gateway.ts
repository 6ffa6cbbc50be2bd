import { Injectable, Optional } from '@nestjs/common';
import { CallPolicy, type Attempt } from '../../resilience/call-policy';
import type { QueryContext } from '../model/query-context';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { cacheKey, ResultCache } from './cache/result-cache';
import { ShippingProtocol, type Send, type UpstreamRequest } from './protocol/shipping-protocol';
import { UpstreamSender } from './protocol/upstream-sender';

/** The external system; its methods throw `UpstreamFailure` and `ClientDisconnectedError`. */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly sender: UpstreamSender,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    @Optional() private readonly cache?: ResultCache,
  ) {}

  /** The body is `undefined` where no record matches. */
  record(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingDetail | undefined>> {
    return this.call(request, context, (send) => this.protocol.record(request, send));
  }

  list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.call(request, context, (send) => this.protocol.list(request, send));
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.call(request, context, (send) => this.protocol.page(request, send));
  }

  private async call<Body>(
    request: UpstreamRequest,
    context: QueryContext,
    ask: (send: Send) => Promise<QueryResult<Body>>,
  ): Promise<QueryResult<Body>> {
    this.protocol.check?.(request);
    const { name } = request.operation;
    let resends = 0;
    const attempt: Attempt<QueryResult<Body>> = (abort, onNewConnection) =>
      ask(this.sender.forAttempt({ operation: name, context, abort, onNewConnection, resends: resends++ }));
    if (this.cache === undefined) return this.policy.execute(name, attempt, context.signal);
    // Clients share the call: none of them ends it.
    return this.cache.resolve(name, cacheKey(request, context), () => this.policy.execute(name, attempt));
  }
}
