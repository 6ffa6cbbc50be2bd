import type { HttpService } from '@nestjs/axios';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import type { Cause } from '../../common/errors';
import { USER_AGENT } from '../../common/version';
import * as tracing from '../../observability/tracing/tracing';
import type { Attempt } from '../../resilience/attempt';
import type { Call } from '../../resilience/call';
import { isSuccess, outcomeOf, reasonOfStatus } from '../../resilience/upstream-failure';
import type { QueryContext } from '../model/query-context';
import type { Credential, CredentialHeaders } from './credentials/oauth-credentials';
import type { UpstreamCredentials } from './credentials/upstream-credentials';
import type { ProtocolCalls } from './protocol/protocol-call';
import type { Send, UpstreamResponse, UpstreamTarget } from './protocol/shipping-protocol';
import { upstreamPathOf } from './protocol/upstream-path';
import { failureOfHttpService } from './transport/transport-failures';
import type { UpstreamRequestConfig } from './transport/undici-http.service';

/** The connection, the credential and the tracing, by which the gateway sends the requests of all of its calls. */
export class UpstreamAccess {
  readonly traces = tracing.tracing();
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
    this.last = this.last === undefined ? this.request(target) : this.requestAfter(this.last, target);
    // Where the `ShippingProtocol` that called `send` has failed meanwhile, nothing awaits this request; an unhandled
    // rejection would end the process.
    this.last.catch(() => undefined);
    return this.last;
  };

  private async requestAfter(last: Promise<unknown>, target: UpstreamTarget): Promise<UpstreamResponse> {
    await last;
    // After a turn of the event loop, the `ShippingProtocol` has read the response to the request before. If reading
    // it has failed, the call has ended, and sends nothing more.
    await nextTurn();
    return this.request(target);
  }

  private request(target: UpstreamTarget): Promise<UpstreamResponse> {
    const { credentials } = this.access;
    return this.call.request((attempt) =>
      credentials === undefined ? this.get(target, attempt) : this.getAuthorized(target, attempt, credentials),
    );
  }

  /**
   * Sends a request with the credential. Where the external system no longer accepts it (401, 403), the request is sent
   * once more with another one, if there is another (D35).
   */
  private async getAuthorized(target: UpstreamTarget, attempt: Attempt, credentials: UpstreamCredentials) {
    let credential: Credential | undefined = credentials.headers();
    for (;;) {
      attempt.waitsFor = 'access token';
      const used: CredentialHeaders = await credential;
      const response = await this.get(target, attempt, used);
      credential = credentials.replace?.(used, response, this.operation);
      if (credential === undefined) return response;
    }
  }

  private get(target: UpstreamTarget, attempt: Attempt, credential?: CredentialHeaders): Promise<UpstreamResponse> {
    const { traces } = this.access;
    return traces === undefined
      ? this.fetch(target, attempt, this.context.traceparent, credential)
      : this.fetchTraced(target, attempt, traces, credential);
  }

  private async fetchTraced(
    target: UpstreamTarget,
    attempt: Attempt,
    traces: tracing.Tracing,
    credential?: CredentialHeaders,
  ): Promise<UpstreamResponse> {
    attempt.throwIfRefused();
    const span = traces.startCall(this.access.url, target.path, this.operation);
    try {
      const traceparent = tracing.traceparentOf(tracing.traceOfSpan(span));
      const response = await this.fetch(target, attempt, traceparent, credential);
      const { status } = response;
      span.setAttribute('http.response.status_code', status);
      // A 404 may mean that no record matches, which is no failure.
      if (!isSuccess(status) && status !== 404) tracing.failSpan(span, reasonOfStatus(status));
      return response;
    } catch (error) {
      tracing.failSpan(span, outcomeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  private async fetch(target: UpstreamTarget, attempt: Attempt, traceparent: string, credential?: CredentialHeaders) {
    attempt.throwIfRefused();
    const { http, url, protocol, sendsTraceparent } = this.access;
    const { requestId, forwarded } = this.context;
    const path = upstreamPathOf(target, url);
    const headers: Record<string, string> = {
      Accept: 'application/json',
      'User-Agent': USER_AGENT,
      'X-Request-Id': requestId,
    };
    if (sendsTraceparent) headers.traceparent = traceparent;
    for (const fields of [protocol.headers(requestId), forwarded, credential]) {
      if (fields !== undefined) setFields(headers, fields);
    }
    attempt.waitsFor = 'response';
    const config: UpstreamRequestConfig = { headers, attempt };
    try {
      const response = await firstValueFrom(http.get<unknown>(path, config));
      if (attempt.remark !== undefined) this.remarks.push(attempt.remark);
      return responseOf(response);
    } catch (error) {
      attempt.throwIfAborted();
      const { response } = error as { response?: Partial<UpstreamResponse> };
      if (response !== undefined) return responseOf(response);
      throw failureOfHttpService(error);
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

/**
 * A test of an application that extends the service may replace `HttpService` by a mock, which may leave out status and
 * headers.
 */
function responseOf({ status = 200, headers = {}, data }: Partial<UpstreamResponse>): UpstreamResponse {
  return { status, headers, data };
}
