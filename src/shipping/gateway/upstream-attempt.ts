import type { HttpService } from '@nestjs/axios';
import type { Span } from '@opentelemetry/api';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { type Cause, printCauses } from '../../common/cause';
import { USER_AGENT } from '../../common/version';
import { traceOfSpan, traceparentOf } from '../../observability/tracing/trace-context';
import * as tracing from '../../observability/tracing/tracing';
import type { AttemptSignal } from '../../resilience/deadline';
import { isSuccess, outcomeOf, reasonOfStatus } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { UpstreamCredentials } from './credentials/upstream-credentials';
import type { ProtocolCalls } from './protocol/protocol-call';
import type { Send, UpstreamResponse, UpstreamTarget } from './protocol/shipping-protocol';
import { upstreamPathOf } from './protocol/upstream-path';
import { failureOfHttpService } from './transport/transport-failures';
import type { UpstreamRequestConfig } from './transport/undici-http.service';

/** The most responses that a call keeps for its retries. Requests beyond are sent again in a retry. */
const MAX_RESPONSES = 100;

type HeaderFields = Readonly<Record<string, string>>;

/** The connection, the credential and the tracing, by which the gateway sends the requests of all of its calls. */
export interface UpstreamAccess {
  readonly http: HttpService;
  readonly url: URL;
  readonly credentials: UpstreamCredentials | undefined;
  readonly traces: tracing.Tracing | undefined;
  readonly protocol: ProtocolCalls;
  readonly sendsTraceparent: boolean;
}

/** What all attempts of one call share, so that a retry can go on where the attempt before ended. */
export class UpstreamCall {
  /** How often the call has begun, retries and repetitions on a new connection included. */
  begun = 0;
  /**
   * Number of requests that the newest attempt has made so far, including those that got a stored response instead of
   * being sent.
   */
  sent = 0;
  /**
   * Successful responses that a retry need not request again, each with the path and query of its request. The index is
   * the position of the request in the attempt, 0 for the first.
   */
  readonly responses: ({ readonly path: string; readonly response: UpstreamResponse } | undefined)[] = [];

  constructor(
    readonly access: UpstreamAccess,
    readonly operation: string,
    readonly context: QueryContext,
  ) {}

  begin(abort: AttemptSignal, onNewConnection: boolean): UpstreamAttempt {
    this.begun += 1;
    // The last response of the attempt before is not stored: it may be why that attempt failed, even with a good status.
    this.responses.splice(Math.max(0, this.sent - 1));
    this.sent = 0;
    return new UpstreamAttempt(this, abort, onNewConnection);
  }
}

/**
 * One attempt of a call. Its requests are sent one after the other, because an attempt counts as one of the calls in
 * flight, however many requests it sends.
 */
class UpstreamAttempt {
  /**
   * Why the result of the attempt is not complete, or why it failed. It is set only where traces are recorded, for
   * their spans.
   */
  causes?: Promise<readonly Cause[] | undefined>;
  private newestSpan?: Span;
  private last: Promise<UpstreamResponse> | undefined;

  constructor(
    private readonly call: UpstreamCall,
    private readonly abort: AttemptSignal,
    private readonly onNewConnection: boolean,
  ) {}

  readonly send: Send = (target, afterMs = 0) => {
    this.last = this.get(target, afterMs, this.last);
    // Where the `ShippingProtocol` that called `send` has failed meanwhile, nothing awaits this request; an unhandled
    // rejection would end the process.
    this.last.catch(() => undefined);
    return this.last;
  };

  /**
   * Sends a request, or returns the response that an attempt before got for it. It is the same request only where path
   * and query are equal and its position in the attempt is, too: a `ShippingProtocol` may send a request twice to see
   * whether the response changes.
   */
  private async get(target: UpstreamTarget, afterMs: number, last?: Promise<unknown>): Promise<UpstreamResponse> {
    if (last !== undefined) {
      await last;
      // After a turn of the event loop, the `ShippingProtocol` has read the response to the request before. If reading
      // it has failed, the attempt has ended, and `throwIfAborted` keeps this request from being sent.
      await nextTurn();
    }
    this.abort.throwIfAborted();
    const { access, responses } = this.call;
    const path = upstreamPathOf(target, access.url);
    const position = this.call.sent++;
    const before = responses[position];
    if (before?.path === path) return before.response;
    if (last !== undefined) this.abort.restartDeadline(afterMs);
    if (last !== undefined && afterMs > 0) {
      this.abort.waitsFor = 'pause';
      await new Promise((resolve) => setTimeout(resolve, afterMs).unref());
    }
    const response = await this.getAuthorized(target.path, path);
    if (!isSuccess(response.status)) return response;
    if (position < MAX_RESPONSES) responses[position] = { path, response };
    return response;
  }

  /**
   * Sends a request with the credential. Where the external system no longer accepts it (401), the request is sent once
   * more with another one, if there is another (D35).
   */
  private async getAuthorized(template: string, path: string): Promise<UpstreamResponse> {
    const { credentials } = this.call.access;
    this.abort.waitsFor = 'access token';
    const credential = await credentials?.headers();
    const response = await this.getTraced(template, path, credential);
    if (response.status !== 401 || credential === undefined) return response;
    this.abort.waitsFor = 'access token';
    const other = await credentials?.replace?.(credential);
    this.abort.waitsFor = 'processing';
    return other === undefined ? response : this.getTraced(template, path, other);
  }

  /**
   * The span shows the template of the path, such as `/shippings/by-id/{id}`, and no query: values that a client sent
   * are not exported (D79).
   */
  private startSpan(traces: tracing.Tracing, template: string): Span {
    const { access, begun, operation } = this.call;
    const { url } = access;
    const path = url.pathname.replace(/\/+$/, '') + template;
    return traces.startCall(path, {
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.full': url.origin + path,
      'shipping.operation': operation,
      'http.request.resend_count': begun > 1 ? begun - 1 : undefined,
    });
  }

  private async getTraced(template: string, path: string, credential?: HeaderFields): Promise<UpstreamResponse> {
    this.abort.throwIfAborted();
    this.abort.throwIfPaused();
    this.abort.waitsFor = 'response';
    const { access, context } = this.call;
    if (access.traces === undefined) return this.request(path, context.traceparent, credential);
    const span = this.startSpan(access.traces, template);
    try {
      const response = await this.request(path, traceparentOf(traceOfSpan(span)), credential);
      const { status } = response;
      span.setAttribute('http.response.status_code', status);
      // A 404 may mean that no record matches, which is no failure.
      if (!isSuccess(status) && status !== 404) tracing.failSpan(span, reasonOfStatus(status));
      return response;
    } catch (error) {
      tracing.failSpan(span, outcomeOf(error));
      throw error;
    } finally {
      this.endSpan(span);
    }
  }

  /**
   * The span ends at this time, but is exported when the attempt has its result. Only then is it known why the result
   * is not complete or has failed, which the newest span of the attempt shows.
   */
  private endSpan(span: Span): void {
    const endedAt = performance.now();
    this.newestSpan = span;
    void this.causes?.then((causes) => {
      if (causes !== undefined && span === this.newestSpan) {
        span.setAttribute(tracing.CAUSE_ATTRIBUTE, printCauses(causes));
      }
      span.end(endedAt);
    });
  }

  private async request(path: string, traceparent: string, credential?: HeaderFields): Promise<UpstreamResponse> {
    const { abort, onNewConnection } = this;
    const { access, context } = this.call;
    const headers = mergedFields(
      { Accept: 'application/json', 'User-Agent': USER_AGENT },
      access.protocol.headers(context.requestId),
      { 'X-Request-Id': context.requestId },
      access.sendsTraceparent ? { traceparent } : undefined,
      context.forwarded,
      credential,
    );
    const config: UpstreamRequestConfig = { headers, signal: abort, onNewConnection };
    try {
      return responseOf(await firstValueFrom(access.http.get<unknown>(path, config)));
    } catch (error) {
      this.abort.throwIfAborted();
      const { response } = error as { response?: Partial<UpstreamResponse> };
      if (response !== undefined) return responseOf(response);
      throw failureOfHttpService(error);
    }
  }
}

/** Of several fields of one name, in whatever case, the last one is sent. */
function mergedFields(...parts: readonly (HeaderFields | undefined)[]): HeaderFields {
  const fields = parts.flatMap((part) => Object.entries(part ?? {}));
  return Object.fromEntries(new Map(fields.map((field) => [field[0].toLowerCase(), field])).values());
}

/**
 * A test of an application that extends the service may replace `HttpService` by a mock, which may leave out status and
 * headers.
 */
function responseOf({ status = 200, headers = {}, data }: Partial<UpstreamResponse>): UpstreamResponse {
  return { status, headers, data };
}
