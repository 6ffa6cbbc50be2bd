import type { HttpService } from '@nestjs/axios';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import type { Cause } from '../../common/errors';
import { USER_AGENT } from '../../common/version';
import * as tracing from '../../observability/tracing/tracing';
import type { Attempt } from '../../resilience/attempt';
import type { Call } from '../../resilience/call-policy';
import { isSuccess, outcomeOf, reasonOfStatus } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { CredentialHeaders, UpstreamCredentials } from './credentials/upstream-credentials';
import type { ProtocolCalls } from './protocol/protocol-call';
import type { Send, UpstreamResponse, UpstreamTarget } from './protocol/shipping-protocol';
import { upstreamPathOf } from './protocol/upstream-path';
import { failureOfHttpService } from './transport/transport-failures';

/** The connection, the credential and the tracing, by which the gateway sends the requests of all of its calls. */
export class UpstreamAccess {
  readonly traces = tracing.Tracing.installed;
  readonly sendsTraceparent = tracing.sendsTraceparent();

  constructor(
    readonly http: HttpService,
    readonly url: URL,
    readonly protocol: ProtocolCalls,
    readonly credentials: UpstreamCredentials | undefined,
  ) {}
}

/** The requests of one call of a protocol, by the policy, the connection, the credential and the tracing. */
export class UpstreamCall {
  /** What was odd about the responses although they can be read, for the log (D81). */
  readonly remarks: Cause[] = [];
  private last: Promise<UpstreamResponse> | undefined;

  constructor(
    private readonly access: UpstreamAccess,
    private readonly operation: string,
    private readonly context: QueryContext,
    private readonly call: Call,
  ) {}

  readonly send: Send = (target) => {
    const { last } = this;
    // After a turn of the event loop, the `ShippingProtocol` has read the response to the request before. If reading
    // it has failed, the call has ended, and sends nothing more.
    this.last = last === undefined ? this.request(target) : last.then(nextTurn).then(() => this.request(target));
    // Where the `ShippingProtocol` that called `send` has failed meanwhile, nothing awaits this request; an unhandled
    // rejection would end the process.
    this.last.catch(() => undefined);
    return this.last;
  };

  private request(target: UpstreamTarget): Promise<UpstreamResponse> {
    const { credentials } = this.access;
    return this.call.request((attempt) =>
      credentials === undefined ? this.fetch(target, attempt) : this.fetchAuthorized(target, attempt, credentials),
    );
  }

  /**
   * Sends a request with the credential. Where the external system no longer accepts it (401, 403), the request is sent
   * once more with another one, if there is another (D35).
   */
  private async fetchAuthorized(target: UpstreamTarget, attempt: Attempt, credentials: UpstreamCredentials) {
    let credential = credentials.headers();
    for (;;) {
      attempt.waitsFor = 'access token';
      const used = await credential;
      const response = await this.fetch(target, attempt, used);
      const other = credentials.replace?.(used, response, this.operation);
      if (other === undefined) return response;
      credential = other;
    }
  }

  private async fetch(target: UpstreamTarget, attempt: Attempt, credential?: CredentialHeaders) {
    attempt.throwIfRefused();
    const { http, url, protocol, traces, sendsTraceparent } = this.access;
    const { requestId, traceparent, forwarded } = this.context;
    const span = traces?.startCall(url, target.path, this.operation);
    try {
      const path = upstreamPathOf(target, url);
      const headers: Record<string, string> = {
        Accept: 'application/json',
        'User-Agent': USER_AGENT,
        'X-Request-Id': requestId,
      };
      if (sendsTraceparent) headers.traceparent = span ? tracing.traceparentOf(tracing.traceOfSpan(span)) : traceparent;
      for (const fields of [protocol.headers(requestId), forwarded, credential]) {
        if (fields !== undefined) setFields(headers, fields);
      }
      attempt.waitsFor = 'response';
      let response: Partial<UpstreamResponse> | undefined;
      try {
        response = await firstValueFrom(http.get<unknown>(path, { headers, signal: attempt }));
        if (attempt.remark !== undefined) this.remarks.push(attempt.remark);
      } catch (error) {
        attempt.throwIfAborted();
        response = (error as { response?: Partial<UpstreamResponse> }).response;
        if (response === undefined) throw failureOfHttpService(error);
      }
      // A test of an application that extends the service may replace `HttpService` by a mock, which may leave out
      // status and headers.
      const { status = 200, headers: received = {}, data } = response;
      span?.setAttribute('http.response.status_code', status);
      // A 404 may mean that no record matches, which is no failure.
      if (span && !isSuccess(status) && status !== 404) tracing.failSpan(span, reasonOfStatus(status));
      return { status, headers: received, data };
    } catch (error) {
      if (span) tracing.failSpan(span, outcomeOf(error));
      throw error;
    } finally {
      span?.end();
    }
  }
}

/** Adds header fields; each takes the place of one with the same name in another case. */
function setFields(headers: Record<string, string>, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const same = Object.keys(headers).find((each) => each.toLowerCase() === name.toLowerCase());
    headers[same ?? name] = value;
  }
}
