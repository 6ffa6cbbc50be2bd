import { HttpService } from '@nestjs/axios';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { USER_AGENT } from '../../common/version';
import { FailureLog } from '../../observability/logging/failure-log';
import { traceparentOf } from '../../observability/tracing/trace-context';
import {
  completeTraceparents,
  failSpan,
  isTracedByOthers,
  traceOfSpan,
  tracing,
} from '../../observability/tracing/tracing';
import { CallPolicy, type Attempt } from '../../resilience/call-policy';
import { pauseUnlessAborted, rejectOnAbort, type AttemptSignal } from '../../resilience/deadline';
import * as failures from '../../resilience/http-failures';
import { outcomeOf, UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../model/response-bodies';
import { cacheKey, ResultCache } from './cache/result-cache';
import { UpstreamCredentials, type CredentialHeaders } from './credentials/upstream-credentials';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './external-address';
import { ClientSpans, FailureCauses } from './failure-causes';
import {
  callProtocol,
  checkRequest,
  LIST,
  PAGE,
  RECORD,
  withCappedLimit,
  withLimit,
  type ProtocolMethod,
} from './protocol/protocol-call';
import {
  ShippingProtocol,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
  type UpstreamTarget,
} from './protocol/shipping-protocol';
import { pathOf } from './protocol/upstream-path';
import type { ExternalRequestConfig } from './transport/undici-http.service';

/** Successful responses that a call keeps for its retries, at most. */
const MAX_KEPT_RESPONSES = 100;

interface KeptResponse {
  /** Path and query of the request. */
  readonly path: string;
  readonly response: UpstreamResponse;
}

/** What the attempts of one call share. */
interface GatewayCall {
  readonly operation: string;
  readonly context: QueryContext;
  attempts: number;
  /** Successful responses in their order, for retries. Only a call with several requests has them. */
  kept: KeptResponse[] | undefined;
}

interface SendingAttempt extends Required<Pick<ExternalRequestConfig, 'onNewConnection'>> {
  readonly abort: AttemptSignal;
  readonly call: GatewayCall;
  /** Attempts of the same call before this one. */
  readonly resends: number;
  readonly spans: ClientSpans;
  /** Requests of this attempt so far; path and query of the last one. */
  sent: number;
  lastPath: string;
}

/** The external system; its methods throw `UpstreamFailure`, `ClientDisconnectedError`, and `LoggedError` (D86). */
@Injectable()
export class ExternalShippingGateway {
  private readonly refusals = new FailureLog(ExternalShippingGateway.name);
  private readonly causes = new FailureCauses();
  private readonly traces = tracing();
  private readonly isTracedByOthers = isTracedByOthers();

  constructor(
    private readonly http: HttpService,
    @Inject(EXTERNAL_SYSTEM) private readonly external: ExternalSystem,
    private readonly protocol: ShippingProtocol,
    private readonly policy: CallPolicy,
    @Optional() private readonly cache?: ResultCache,
    @Optional() private readonly credentials?: UpstreamCredentials,
  ) {
    if (this.isTracedByOthers) completeTraceparents(external.url.origin);
  }

  /** The body is `undefined` where no record matches. */
  record(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingDetail | undefined>> {
    return this.call(RECORD, request, context);
  }

  /** At most `Limit` records, and 10,000; `limit` of the completeness says that the list may be cut off (D31, D73). */
  async list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    const capped = withCappedLimit(request);
    return withLimit(await this.call(LIST, capped, context), capped.parameters?.Limit);
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.call(PAGE, request, context);
  }

  private async call<Body>(
    method: ProtocolMethod<Body>,
    request: UpstreamRequest,
    context: QueryContext,
  ): Promise<QueryResult<Body>> {
    const { forwarded } = context;
    const asked = forwarded === undefined ? request : { ...request, forwarded };
    const checking = checkRequest(this.protocol, asked);
    if (checking !== undefined) await checking;
    const { name } = request.operation;
    const call: GatewayCall = { operation: name, context, attempts: 0, kept: undefined };
    const attempt: Attempt<QueryResult<Body>> = (abort, onNewConnection) => {
      const resends = call.attempts++;
      const sending: SendingAttempt = {
        call,
        abort,
        onNewConnection,
        resends,
        sent: 0,
        lastPath: '',
        spans: new ClientSpans(),
      };
      // A protocol that hangs must not hold its slot for ever.
      const reading = rejectOnAbort(abort, callProtocol(this.protocol, method, asked, this.sendFor(sending)));
      return this.traces === undefined ? reading : sending.spans.endWith(reading);
    };
    if (this.cache === undefined) return this.causes.observe(name, this.policy.execute(name, attempt, context.signal));
    // Clients share the call: none of them ends it.
    const execute = () => this.causes.observe(name, this.policy.execute(name, attempt));
    return this.cache.resolve(name, cacheKey(request, context), execute);
  }

  /** Requests are sent one after the other: an attempt has one slot. */
  private sendFor(attempt: SendingAttempt): Send {
    let last: Promise<UpstreamResponse> | undefined;
    return (target, afterMs = 0) => {
      last = last === undefined ? this.send(target, attempt) : this.sendAfter(last, target, afterMs, attempt);
      // A protocol that has failed awaits it no more.
      last.catch(() => undefined);
      return last;
    };
  }

  private async sendAfter(
    last: Promise<UpstreamResponse>,
    target: UpstreamTarget,
    afterMs: number,
    attempt: SendingAttempt,
  ): Promise<UpstreamResponse> {
    keep(await last, attempt);
    // By the next turn the protocol has read the response before, and may have failed.
    await nextTurn();
    const isKept = keptFor(pathOf(target, this.external.url), attempt) !== undefined;
    if (afterMs > 0 && !isKept) await pauseUnlessAborted(afterMs, attempt.abort);
    return this.send(target, attempt);
  }

  private async send(target: UpstreamTarget, attempt: SendingAttempt): Promise<UpstreamResponse> {
    const path = pathOf(target, this.external.url);
    const kept = keptFor(path, attempt);
    attempt.sent += 1;
    attempt.lastPath = path;
    if (kept !== undefined && !attempt.abort.aborted) return kept;
    const credential = await this.credentials?.headers();
    let response = await this.get(target, path, attempt, credential);
    if (response.status === 401) {
      const other = credential && (await this.credentials?.replace?.(credential));
      if (other !== undefined) response = await this.get(target, path, attempt, other);
    }
    const { status } = response;
    if (status === 401 || status === 403) {
      const refusal = `status ${status} for ${attempt.call.operation}`;
      this.refusals.failed(`The external system refuses the credentials of the service: ${refusal}`);
    }
    return response;
  }

  /** The span has the template of the path and no parameters. */
  private get(
    target: UpstreamTarget,
    sentPath: string,
    attempt: SendingAttempt,
    credential: CredentialHeaders | undefined,
  ): Promise<UpstreamResponse> {
    const { abort, resends } = attempt;
    const { context, operation } = attempt.call;
    if (abort.aborted) throw abort.reason;
    if (this.traces === undefined) return this.request(sentPath, attempt, credential, context.traceparent);
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
        const response = await this.request(sentPath, attempt, credential, traceparentOf(traceOfSpan(span)));
        const { status } = response;
        span.setAttribute('http.response.status_code', status);
        // 404 may mean that no record matches.
        if (!failures.isSuccess(status) && status !== 404) failSpan(span, failures.reasonOfStatus(status));
        return response;
      },
      outcomeOf,
      (span) => {
        attempt.spans.settled(span);
      },
    );
  }

  private async request(
    path: string,
    { call, abort, onNewConnection }: SendingAttempt,
    credential: CredentialHeaders | undefined,
    traceparent: string,
  ): Promise<UpstreamResponse> {
    const { operation, context } = call;
    const { requestId, forwarded } = context;
    const headers = {
      Accept: 'application/json',
      'User-Agent': USER_AGENT,
      'X-Request-Id': requestId,
      traceparent: this.isTracedByOthers ? undefined : traceparent,
      ...forwarded,
      ...credential,
    };
    const config: ExternalRequestConfig = { headers, operation, signal: abort, onNewConnection };
    try {
      return responseOf(await firstValueFrom(this.http.get<unknown>(path, config)));
    } catch (error) {
      if (abort.aborted) throw abort.reason;
      const { response } = error as { response?: Partial<UpstreamResponse> };
      if (response !== undefined) return responseOf(response);
      throw failureOf(error);
    }
  }
}

/**
 * The response that an attempt before got for the same request, so that a retry goes on where that attempt ended. Requests
 * are told apart by their order as well: a protocol may send one again to see whether its response has changed.
 */
function keptFor(path: string, { call, sent }: SendingAttempt): UpstreamResponse | undefined {
  const kept = call.kept?.[sent];
  return kept?.path === path ? kept.response : undefined;
}

function keep(response: UpstreamResponse, { call, sent, lastPath }: SendingAttempt): void {
  call.kept ??= [];
  const isNext = call.kept.length === sent - 1 && sent <= MAX_KEPT_RESPONSES;
  if (isNext && failures.isSuccess(response.status)) call.kept.push({ path: lastPath, response });
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
