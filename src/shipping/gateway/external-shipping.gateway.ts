import { Inject, Injectable, Optional } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings';
import { tracing } from '../../observability/tracing/tracing';
import type { Attempt } from '../../resilience/attempt-runner';
import { CallPolicy } from '../../resilience/call-policy';
import { failedStatus, isSuccess } from '../../resilience/http-failures';
import { retryAfterMs } from '../../resilience/retry-after';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { COMPLETE } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import type { QueryContext } from '../model/query-context';
import type { CacheReport, QueryResult } from '../model/query-result';
import { ResultCache, type Cacheable } from './cache/result-cache';
import { inSpan } from './call-spans';
import { GatewayMetrics } from './gateway.metrics';
import type { MappedBody, Operation, ParameterValue, UpstreamRequest } from './protocol/operation';
import { ExternalHttpClient, type UpstreamResponse } from './transport/external-http-client';

/** Facts about one call, collected while it is made. */
interface CollectedFacts {
  cache?: CacheReport;
  externalMs?: number;
}

/**
 * The external shipping system, for the queries.
 *
 * All calls go through one private method, which owns the cache, deadlines, retries, the circuit breaker, metrics and
 * error translation. They throw `ExternalSystemFailure` where there is no usable response, and `ClientDisconnectedError`.
 */
@Injectable()
export class ExternalShippingGateway {
  constructor(
    private readonly client: ExternalHttpClient,
    private readonly policy: CallPolicy,
    private readonly metrics: GatewayMetrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Optional() private readonly cache?: ResultCache,
  ) {}

  /** Requests a list or a page. Every status outside 2xx is a failure. */
  fetch<Body>(request: UpstreamRequest<Body>, context: QueryContext): Promise<QueryResult<Body>> {
    return this.call(request, context, (response) => request.read(bodyOf(response))) as Promise<QueryResult<Body>>;
  }

  /** Looks one record up. The body is `undefined` where none matches: 404, 204 or `null`. */
  find<Body>(request: UpstreamRequest<Body>, context: QueryContext): Promise<QueryResult<Body | undefined>> {
    return this.call(request, context, (response) =>
      isNoMatch(response) ? undefined : request.read(bodyOf(response)),
    );
  }

  /** The single call behind all methods. Calls with the same operation, path, query and forwarded headers may share one. */
  private call<Body>(
    request: UpstreamRequest<Body>,
    context: QueryContext,
    read: (response: UpstreamResponse) => MappedBody<Body> | undefined,
  ): Promise<QueryResult<Body | undefined>> {
    const { operation } = request;
    const template = operation.path(this.settings.external.paths);
    const path = pathOf(template, request);
    const key = keyOf(operation, path, context);
    const facts: CollectedFacts = {};
    const attempt =
      this.tracedAttempt(operation, template, path, context, read) ??
      ((cancellation) => this.client.get(path, context, cancellation).then(read));
    return this.cached(operation, key, context, facts, attempt).then(
      (mapped) =>
        mapped === undefined
          ? { body: undefined, completeness: COMPLETE, facts }
          : { body: mapped.body, completeness: mapped.completeness, facts },
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
    const call = this.metrics.timeCall(
      name,
      () => this.policy.execute(name, key, attempt, signal),
      (durationMs) => {
        if (this.settings.serverTiming) facts.externalMs = (facts.externalMs ?? 0) + durationMs;
      },
    );
    return call;
  }

  /** An attempt with a span of its own each time it is sent; `undefined` where tracing is not preloaded. */
  private tracedAttempt<T>(
    { name }: Operation,
    template: string,
    path: string,
    context: QueryContext,
    read: (response: UpstreamResponse) => T,
  ): Attempt<T> | undefined {
    const traces = tracing();
    if (traces === undefined) return undefined;
    const target = { operation: name, baseUrl: this.client.baseUrl, template };
    let sent = 0;
    return (cancellation) =>
      inSpan(traces, target, sent++, cancellation, async (traceparent, recordStatus) => {
        const response = await this.client.get(path, { ...context, traceparent }, cancellation);
        recordStatus(response.status);
        return read(response);
      });
  }
}

/** The same only for calls with the same result. */
function keyOf({ name }: Operation, path: string, { forwarded }: QueryContext): string {
  return forwarded === undefined ? `${name} ${path}` : `${name} ${path} ${JSON.stringify(forwarded)}`;
}

function isNoMatch({ status, data }: UpstreamResponse): boolean {
  return status === 404 || status === 204 || data === null;
}

/** The body of a response with a status of 2xx. */
function bodyOf({ status, data, headers }: UpstreamResponse): unknown {
  if (isSuccess(status)) return data;
  const retryAfter = headers['retry-after'] as string | undefined;
  throw failedStatus(status, retryAfterMs(retryAfter, Date.now()));
}

function pathOf(template: string, { id, parameters }: UpstreamRequest<unknown>): string {
  const path = id === undefined ? template : template.replace('{id}', () => encodeURIComponent(id));
  return parameters === undefined ? path : path + queryString(parameters);
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
