import { HttpService } from '@nestjs/axios';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { USER_AGENT } from '../../common/version';
import { traceparentOf } from '../../observability/tracing/trace-context';
import {
  CAUSE_ATTRIBUTE,
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
import { causeOfError, causeOfResult, FailureCauses } from './failure-causes';
import {
  boundedList,
  callProtocol,
  checkRequest,
  withCappedLimit,
  type ProtocolBodies,
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
  /** Path and query of its request. */
  readonly path: string;
  readonly response: UpstreamResponse;
}

/** The state that all attempts of one call share, so that a retry can go on where the attempt before ended. */
interface GatewayCall {
  readonly operation: string;
  readonly context: QueryContext;
  attempts: number;
  /** Requests of the newest attempt. */
  sent: number;
  /** Successful responses by the position of their requests, so that a retry goes on where the attempt before ended. */
  readonly kept: (KeptResponse | undefined)[];
}

interface SendingAttempt {
  readonly call: GatewayCall;
  readonly abort: AttemptSignal;
  readonly onNewConnection: boolean;
  /** The span of the newest request that has settled, until it ends. */
  span?: Span;
  /** Why the response is of no use, once the protocol has read it; for spans alone. */
  cause?: Promise<string | undefined>;
}

/** The external system; its methods throw `UpstreamFailure`, `ClientDisconnectedError`, and `LoggedError` (D86). */
@Injectable()
export class ExternalShippingGateway {
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
    return this.call('record', request, context);
  }

  /** At most `Limit` records, and 10,000; `limit` of the completeness says that the list may be cut off (D31, D73). */
  async list(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<ShippingLookupItem[]>> {
    const capped = withCappedLimit(request);
    return boundedList(await this.call('list', capped, context), capped.parameters?.Limit);
  }

  page(request: UpstreamRequest, context: QueryContext): Promise<QueryResult<PagedShippingList>> {
    return this.call('page', request, context);
  }

  private async call<Method extends ProtocolMethod>(
    method: Method,
    request: UpstreamRequest,
    context: QueryContext,
  ): Promise<QueryResult<ProtocolBodies[Method]>> {
    const { forwarded } = context;
    const asked = forwarded === undefined ? request : { ...request, forwarded };
    checkRequest(this.protocol, asked);
    const { name } = request.operation;
    const call: GatewayCall = { operation: name, context, attempts: 0, sent: 0, kept: [] };
    const attempt: Attempt<QueryResult<ProtocolBodies[Method]>> = (abort, onNewConnection) => {
      const sending: SendingAttempt = { call, abort, onNewConnection };
      const send = this.sendFor(sending);
      // A protocol that hangs must not hold its slot for ever.
      const reading = rejectOnAbort(abort, callProtocol(this.protocol, method, asked, send));
      if (this.traces !== undefined) sending.cause = reading.then(causeOfResult, causeOfError);
      return reading;
    };
    if (this.cache === undefined) return this.causes.observe(name, this.policy.execute(name, attempt, context.signal));
    // Clients share the call: none of them ends it.
    const execute = () => this.causes.observe(name, this.policy.execute(name, attempt));
    return this.cache.resolve(name, cacheKey(request, context), execute);
  }

  /** Begins an attempt. Its requests are sent one after the other, because it has one slot. */
  private sendFor(attempt: SendingAttempt): Send {
    const { call } = attempt;
    call.attempts += 1;
    // The attempt before may have failed because of its last response, even if that had a good status.
    call.kept.splice(Math.max(0, call.sent - 1));
    call.sent = 0;
    let last: Promise<UpstreamResponse> | undefined;
    return (target, afterMs = 0) => {
      last = last === undefined ? this.send(target, attempt, 0) : this.sendAfter(last, target, attempt, afterMs);
      // A protocol that has failed awaits it no more.
      last.catch(() => undefined);
      return last;
    };
  }

  private async sendAfter(
    last: Promise<UpstreamResponse>,
    target: UpstreamTarget,
    attempt: SendingAttempt,
    afterMs: number,
  ): Promise<UpstreamResponse> {
    await last;
    // By the next turn the protocol has read the response before, and may have failed.
    await nextTurn();
    return this.send(target, attempt, afterMs);
  }

  /**
   * Sends a request, or takes the response that an attempt before got for it. Requests are the same where path and query
   * are, and their position in the attempt: a protocol may send one again to see whether its response has changed.
   */
  private async send(target: UpstreamTarget, attempt: SendingAttempt, afterMs: number): Promise<UpstreamResponse> {
    const { abort, call } = attempt;
    if (abort.aborted) throw abort.reason;
    const path = pathOf(target, this.external.url);
    const position = call.sent++;
    const kept = call.kept[position];
    if (kept?.path === path) return kept.response;
    if (afterMs > 0) await pauseUnlessAborted(afterMs, abort);
    const response = await this.getAuthorized(target, path, attempt);
    if (position < MAX_KEPT_RESPONSES && failures.isSuccess(response.status)) call.kept[position] = { path, response };
    return response;
  }

  /** A credential that the external system no longer accepts is replaced once, where there is another. */
  private async getAuthorized(
    target: UpstreamTarget,
    path: string,
    attempt: SendingAttempt,
  ): Promise<UpstreamResponse> {
    attempt.abort.arrival = 'no credential';
    const credential = await this.credentials?.headers();
    attempt.abort.arrival = 'none';
    const response = await this.get(target, path, attempt, credential);
    if (response.status !== 401 || credential === undefined) return response;
    const other = await this.credentials?.replace?.(credential);
    return other === undefined ? response : this.get(target, path, attempt, other);
  }

  /** The span has the template of the path and no parameters. */
  private get(
    target: UpstreamTarget,
    sentPath: string,
    attempt: SendingAttempt,
    credential: CredentialHeaders | undefined,
  ): Promise<UpstreamResponse> {
    const { context, operation, attempts } = attempt.call;
    if (attempt.abort.aborted) throw attempt.abort.reason;
    if (this.traces === undefined) return this.request(sentPath, attempt, credential, context.traceparent);
    attempt.span?.end();
    attempt.span = undefined;
    const { url } = this.external;
    const path = url.pathname.replace(/\/+$/, '') + target.path;
    const attributes = {
      'http.request.method': 'GET',
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.full': url.origin + path,
      'url.template': path,
      'shipping.operation': operation,
      'http.request.resend_count': attempts > 1 ? attempts - 1 : undefined,
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
        void endSpan(span, attempt);
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

/** Ends the span of a request when the protocol has read its response, with the cause where that is of no use. */
async function endSpan(span: Span, attempt: SendingAttempt): Promise<void> {
  attempt.span = span;
  const cause = await attempt.cause;
  // The next request has ended it.
  if (attempt.span !== span) return;
  if (cause !== undefined) span.setAttribute(CAUSE_ATTRIBUTE, cause);
  span.end();
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
