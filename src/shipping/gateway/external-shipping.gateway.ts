import { Injectable, Optional } from '@nestjs/common';
import type { Attempt } from '../../resilience/attempt-runner';
import { CallPolicy } from '../../resilience/call-policy';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { ExternalSystemFailure } from '../model/shipping-exceptions';
import { ResultCache } from './cache/result-cache';
import { RequestSender } from './protocol/request-sender';
import { ShippingProtocol, type Send, type UpstreamRequest } from './protocol/shipping-protocol';
import { ExternalHttpClient } from './transport/external-http-client';

/**
 * The external shipping system, for the queries: through the cache, under the call policy, by the protocol.
 *
 * Calls with the same operation, identifier, parameters and forwarded headers may share one. All methods throw
 * `ExternalSystemFailure` where there is no usable response, and `ClientDisconnectedError`.
 */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly client: ExternalHttpClient,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    @Optional() private readonly cache?: ResultCache,
  ) {}

  /** One record; the body is `undefined` where none matches. */
  record(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingDetail | undefined>> {
    return this.call(request, context, (send) => this.protocol.record(request, send));
  }

  list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.call(request, context, (send) => this.protocol.list(request, send));
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.call(request, context, (send) => this.protocol.page(request, send));
  }

  private call<Body>(
    { operation, id, parameters }: UpstreamRequest,
    context: QueryContext,
    ask: (send: Send) => Promise<QueryResult<Body>>,
  ): Promise<QueryResult<Body>> {
    const { name } = operation;
    const key = `${name} ${JSON.stringify([id, parameters, context.forwarded])}`;
    let attempts = 0;
    const attempt: Attempt<QueryResult<Body>> = (cancellation) =>
      ask(new RequestSender(this.client, name, context, cancellation, attempts++).send);
    if (this.cache === undefined) return this.underPolicy(name, key, attempt, context);
    const execute = <T>(work: Attempt<T>): Promise<T> => this.underPolicy(name, key, work, context);
    return this.cache.resolve({ operation, key, cacheControl: undefined, attempt, execute });
  }

  private underPolicy<T>(operation: string, key: string, work: Attempt<T>, context: QueryContext): Promise<T> {
    return this.policy.execute(operation, key, work, context.signal).catch((error: unknown) => {
      throw error instanceof UpstreamFailure ? new ExternalSystemFailure(error) : error;
    });
  }
}
