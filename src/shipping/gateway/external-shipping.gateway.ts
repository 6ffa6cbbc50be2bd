import { HttpService } from '@nestjs/axios';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { USER_AGENT } from '../../common/version';
import { FailureLog } from '../../observability/logging/failure-log';
import { traceparentOf } from '../../observability/tracing/trace-context';
import { failSpan, traceOfSpan, tracing } from '../../observability/tracing/tracing';
import { CallPolicy, type Attempt } from '../../resilience/call-policy';
import type { AttemptSignal } from '../../resilience/deadline';
import * as failures from '../../resilience/http-failures';
import { outcomeOf, UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { cacheKey, ResultCache } from './cache/result-cache';
import { UpstreamCredentials, type CredentialHeaders } from './credentials/upstream-credentials';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './external-address';
import {
  ShippingProtocol,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
  type UpstreamTarget,
} from './protocol/shipping-protocol';
import type { ExternalRequestConfig } from './transport/undici-http.service';

interface SendingAttempt extends Required<Pick<ExternalRequestConfig, 'operation' | 'onNewConnection'>> {
  readonly abort: AttemptSignal;
  readonly context: QueryContext;
  /** Attempts of the same call before this one. */
  readonly resends: number;
}

/** The external system; its methods throw `UpstreamFailure` and `ClientDisconnectedError`. */
@Injectable()
export class ExternalShippingGateway {
  private readonly refusals = new FailureLog(ExternalShippingGateway.name);
  private readonly traces = tracing();

  constructor(
    private readonly http: HttpService,
    @Inject(EXTERNAL_SYSTEM) private readonly external: ExternalSystem,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    @Optional() private readonly cache?: ResultCache,
    @Optional() private readonly credentials?: UpstreamCredentials,
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
      ask(this.sendFor({ operation: name, context, abort, onNewConnection, resends: resends++ }));
    if (this.cache === undefined) return this.policy.execute(name, attempt, context.signal);
    // Clients share the call: none of them ends it.
    return this.cache.resolve(name, cacheKey(request, context), () => this.policy.execute(name, attempt));
  }

  /** Requests are sent one after the other: an attempt has one slot. */
  private sendFor(attempt: SendingAttempt): Send {
    let last: Promise<UpstreamResponse> | undefined;
    return (target) => {
      // By the next turn the protocol has read the response before, and may have failed.
      const next = (): Promise<UpstreamResponse> => this.send(target, attempt);
      last = last === undefined ? next() : last.then(() => nextTurn()).then(next);
      // A protocol that has failed awaits it no more.
      last.catch(() => undefined);
      return last;
    };
  }

  private async send(target: UpstreamTarget, attempt: SendingAttempt): Promise<UpstreamResponse> {
    const credential = await this.credentials?.headers();
    let response = await this.get(target, attempt, credential);
    if (response.status === 401) {
      const other = credential && (await this.credentials?.replace?.(credential));
      if (other !== undefined) response = await this.get(target, attempt, other);
    }
    const { status } = response;
    if (status === 401 || status === 403) {
      const refusal = `status ${status} for ${attempt.operation}`;
      this.refusals.failed(`The external system refuses the credentials of the service: ${refusal}`);
    }
    return response;
  }

  /** The span has the template of the path and no parameters. */
  private get(
    target: UpstreamTarget,
    attempt: SendingAttempt,
    credential: CredentialHeaders | undefined,
  ): Promise<UpstreamResponse> {
    const { abort, context, operation, resends } = attempt;
    if (abort.aborted) throw abort.reason;
    if (this.traces === undefined) return this.request(target, attempt, credential, context.traceparent);
    const { url } = this.external;
    const path = url.pathname.replace(/\/+$/, '') + target.path;
    const attributes = {
      'http.request.method': 'GET',
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.full': url.origin + path,
      'url.template': path,
      'shipping.operation': operation,
      'http.request.resend_count': resends > 0 ? resends : undefined,
    };
    return this.traces.inClientSpan(
      `GET ${path}`,
      attributes,
      async (span) => {
        const response = await this.request(target, attempt, credential, traceparentOf(traceOfSpan(span)));
        const { status } = response;
        span.setAttribute('http.response.status_code', status);
        // 404 may mean that no record matches.
        if (!failures.isSuccess(status) && status !== 404) failSpan(span, failures.reasonOfStatus(status));
        return response;
      },
      outcomeOf,
    );
  }

  private async request(
    target: UpstreamTarget,
    { operation, context: { requestId, forwarded }, abort, onNewConnection }: SendingAttempt,
    credential: CredentialHeaders | undefined,
    traceparent: string,
  ): Promise<UpstreamResponse> {
    const headers = {
      Accept: 'application/json',
      'User-Agent': USER_AGENT,
      'X-Request-Id': requestId,
      traceparent,
      ...forwarded,
      ...credential,
    };
    const config: ExternalRequestConfig = { headers, operation, signal: abort, onNewConnection };
    try {
      return responseOf(await firstValueFrom(this.http.get<unknown>(pathOf(target), config)));
    } catch (error) {
      if (abort.aborted) throw abort.reason;
      const { response } = error as { response?: Partial<UpstreamResponse> };
      if (response !== undefined) return responseOf(response);
      throw failureOf(error);
    }
  }
}

function pathOf({ path, id, query = {} }: UpstreamTarget): string {
  let filled = id === undefined ? path : path.replace('{id}', () => encodeURIComponent(id));
  let separator = '?';
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (value === undefined) continue;
    filled += `${separator}${name}=${encodeURIComponent(value instanceof Date ? value.toISOString() : value)}`;
    separator = '&';
  }
  return filled;
}

/** A mock may leave out status and headers. */
function responseOf({ status = 200, headers = {}, data }: Partial<UpstreamResponse>): UpstreamResponse {
  return { status, headers, data };
}

const TIME_OUTS: ReadonlySet<unknown> = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);
const CONNECTION_ERROR = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|EPIPE)/;

/** Errors of axios, or of a mock, as failures; others stay. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UpstreamFailure) return error;
  const { code = '', message, isAxiosError } = error as Error & { code?: string; isAxiosError?: boolean };
  if (TIME_OUTS.has(code)) return failures.timedOut();
  if (message.startsWith('maxContentLength')) return failures.oversized();
  if (code === 'ERR_BAD_RESPONSE') return failures.brokenBody(code);
  return isAxiosError === true || CONNECTION_ERROR.test(code) ? failures.noConnection(code) : error;
}
