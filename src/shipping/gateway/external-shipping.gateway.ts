import { Inject, Injectable, Optional } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings';
import { tracing } from '../../observability/tracing/tracing';
import type { Attempt } from '../../resilience/attempt-runner';
import { CallPolicy } from '../../resilience/call-policy';
import type { Cancellation } from '../../resilience/cancellation';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { COMPLETE } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import type { QueryContext } from '../model/query-context';
import type { CacheReport, QueryResult } from '../model/query-result';
import { ResultCache, type Cacheable } from './cache/result-cache';
import { inSpan } from './call-spans';
import { GatewayMetrics } from './gateway.metrics';
import type { Operation, ParameterValue, Results, UpstreamRequest } from './protocol/operation';
import { ShippingProtocol, type Send, type UpstreamTarget } from './protocol/shipping-protocol';
import type { UpstreamResponse } from './transport/upstream-response';
import { ExternalHttpClient } from './transport/external-http-client';

/** Facts about one call, collected while it is made. */
interface CollectedFacts {
  cache?: CacheReport;
  externalMs?: number;
}

/**
 * The external shipping system, for the queries.
 *
 * All calls go through one method, which owns the cache, deadlines, retries, the circuit breaker, metrics and error
 * translation. It throws `ExternalSystemFailure` where there is no usable response, and `ClientDisconnectedError`.
 */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly client: ExternalHttpClient,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    private readonly metrics: GatewayMetrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Optional() private readonly cache?: ResultCache,
  ) {}

  /**
   * Requests a record, a list or a page. The body is `undefined` where no record matches. Calls with the same operation,
   * identifier, parameters and forwarded headers may share one.
   */
  fetch<Result extends keyof Results>(
    request: UpstreamRequest<Result>,
    context: QueryContext,
  ): Promise<QueryResult<Results[Result]>> {
    const { operation, id, parameters, result } = request;
    const key = `${operation.name} ${JSON.stringify([id, parameters, context.forwarded])}`;
    const facts: CollectedFacts = {};
    let attempts = 0;
    const attempt: Attempt<Cacheable> = (cancellation) =>
      this.protocol[result](request, this.sender(operation, context, cancellation, attempts++));
    return this.cached(operation, key, context, facts, attempt).then(
      (mapped) => ({
        body: mapped?.body as Results[Result],
        completeness: mapped?.completeness ?? COMPLETE,
        facts,
      }),
      (error: unknown) => {
        throw error instanceof UpstreamFailure ? new ExternalSystemFailure(error, facts) : error;
      },
    );
  }

  private cached<T extends Cacheable>(
    operation: Operation,
    key: string,
    context: QueryContext,
    facts: CollectedFacts,
    attempt: Attempt<T>,
  ): Promise<T> {
    const execute = <F>(work: Attempt<F>): Promise<F> => this.execute(operation, key, context, facts, work);
    if (this.cache === undefined) return execute(attempt);
    const report = (cache: CacheReport): void => {
      facts.cache = cache;
    };
    return this.cache.resolve({ operation, key, cacheControl: context.cacheControl, attempt, execute, report });
  }

  private execute<T>(
    { name }: Operation,
    key: string,
    { signal }: QueryContext,
    facts: CollectedFacts,
    attempt: Attempt<T>,
  ): Promise<T> {
    return this.metrics.timeCall(
      name,
      () => this.policy.execute(name, key, attempt, signal),
      (durationMs) => {
        if (this.settings.serverTiming) facts.externalMs = (facts.externalMs ?? 0) + durationMs;
      },
    );
  }

  /** Sends the requests of one attempt, each within a span where tracing is preloaded. */
  private sender({ name }: Operation, context: QueryContext, cancellation: Cancellation, resends: number): Send {
    const traces = tracing();
    const get = (target: UpstreamTarget, sent: QueryContext): Promise<UpstreamResponse> =>
      this.client.get({ path: pathOf(target), operation: name, context: sent, cancellation });
    if (traces === undefined) return inTurn((target) => get(target, context));
    return inTurn((target) => {
      const shown = { operation: name, baseUrl: this.client.baseUrl, template: target.path };
      return inSpan(traces, shown, resends, cancellation, async (traceparent, recordStatus) => {
        const response = await get(target, { ...context, traceparent });
        recordStatus(response.status);
        return response;
      });
    });
  }
}

/** Sends one request after the other: the slot of an attempt stands for one request at the external system. */
export function inTurn(send: Send): Send {
  let last: Promise<UpstreamResponse> | undefined;
  return (target) => {
    last = last === undefined ? send(target) : last.then(() => send(target));
    return last;
  };
}

/** The path and query of a request below the base URL, values encoded. */
export function pathOf({ path, id, query }: UpstreamTarget): string {
  const filled = id === undefined ? path : path.replace('{id}', () => encodeURIComponent(id));
  return query === undefined ? filled : filled + queryString(query);
}

/** Joined, not concatenated: a waiting call would keep a concatenated text in pieces, at three times the memory. */
function queryString(values: Readonly<Record<string, ParameterValue>>): string {
  const pairs: string[] = [];
  for (const name in values) {
    const value = values[name];
    if (value === undefined) continue;
    const text = value instanceof Date ? value.toISOString() : String(value);
    pairs.push(`${name}=${encodeURIComponent(text)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
