import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../external-system';
import { traceparentOf } from '../../../observability/tracing/trace-context';
import { failSpan, traceOfSpan, tracing, type Tracing } from '../../../observability/tracing/tracing';
import {
  badResponse,
  failedStatus,
  isSuccess,
  oversized,
  timedOut,
  unreachable,
} from '../../../resilience/http-failures';
import { outcomeOf, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryContext } from '../../model/query-context';
import { CredentialLog } from '../credentials/credential-log';
import { UpstreamCredentials, type CredentialHeaders } from '../credentials/upstream-credentials';
import { pathOf, type Send, type UpstreamTarget } from './shipping-protocol';
import type { ExternalRequestConfig } from '../transport/external-http.service';
import type { SendOptions } from '../transport/upstream-connections';
import type { UpstreamResponse } from '../transport/upstream-response';

/** The attempt that requests belong to. */
export interface SendingAttempt extends Required<SendOptions> {
  /** Name of the upstream operation. */
  readonly operation: string;
  readonly context: QueryContext;
  /** Attempts of the same call before this one. */
  readonly resends: number;
}

/** Sends the requests of attempts by `HttpService`, with their headers and credential. */
@Injectable()
export class UpstreamSender {
  constructor(
    private readonly http: HttpService,
    private readonly credentials: UpstreamCredentials,
    private readonly credentialLog: CredentialLog,
    @Inject(EXTERNAL_SYSTEM) private readonly external: Pick<ExternalSystem, 'url'>,
  ) {}

  /**
   * The `send` of one attempt. Requests are sent one after the other, because the slot of an attempt stands for one request
   * at the external system.
   */
  forAttempt(attempt: SendingAttempt): Send {
    let last: Promise<UpstreamResponse> | undefined;
    return (target) => {
      last = last === undefined ? this.send(target, attempt) : this.sendAfter(last, target, attempt);
      // A protocol that has failed awaits it no more.
      last.catch(() => undefined);
      return last;
    };
  }

  /** Waits until the protocol has read the response before, because an attempt that has failed sends nothing more. */
  private async sendAfter(
    previous: Promise<UpstreamResponse>,
    target: UpstreamTarget,
    attempt: SendingAttempt,
  ): Promise<UpstreamResponse> {
    await previous;
    await nextTurn();
    return this.send(target, attempt);
  }

  /** Repeats a request once that got 401, where there is another credential. */
  private async send(target: UpstreamTarget, attempt: SendingAttempt): Promise<UpstreamResponse> {
    const credential = await this.credentials.headers();
    let response = await this.get(target, attempt, credential);
    if (response.status === 401) {
      const other = await this.credentials.replace(credential);
      if (other !== undefined) response = await this.get(target, attempt, other);
    }
    this.credentialLog.responded(attempt.operation, response.status);
    return response;
  }

  private get(
    target: UpstreamTarget,
    attempt: SendingAttempt,
    credential: CredentialHeaders,
  ): Promise<UpstreamResponse> {
    if (attempt.abort.aborted) return Promise.reject(timedOut());
    const traces = tracing();
    const { traceparent } = attempt.context;
    if (traces === undefined) return this.request(target, attempt, credential, traceparent);
    return this.requestInSpan(target, attempt, credential, traces);
  }

  /** In a client span by the semantic conventions of OpenTelemetry, with the template of the path and no parameters. */
  private requestInSpan(
    target: UpstreamTarget,
    attempt: SendingAttempt,
    credential: CredentialHeaders,
    traces: Tracing,
  ): Promise<UpstreamResponse> {
    const { url } = this.external;
    const path = url.pathname.replace(/\/+$/, '') + target.path;
    const attributes = {
      'http.request.method': 'GET',
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.full': url.origin + path,
      'url.template': path,
      'shipping.operation': attempt.operation,
      'http.request.resend_count': attempt.resends > 0 ? attempt.resends : undefined,
    };
    return traces.inClientSpan(
      `GET ${path}`,
      attributes,
      async (span) => {
        const response = await this.request(target, attempt, credential, traceparentOf(traceOfSpan(span)));
        const { status } = response;
        span.setAttribute('http.response.status_code', status);
        // 404 may mean that no record matches.
        if (!isSuccess(status) && status !== 404) failSpan(span, failedStatus(status).reason);
        return response;
      },
      (error) => (attempt.context.signal?.aborted === true ? 'caller-left' : outcomeOf(error)),
    );
  }

  private async request(
    target: UpstreamTarget,
    { operation, context: { requestId, forwarded }, abort, onNewConnection }: SendingAttempt,
    credential: CredentialHeaders,
    traceparent: string,
  ): Promise<UpstreamResponse> {
    const headers = { Accept: 'application/json', 'X-Request-Id': requestId, traceparent, ...forwarded, ...credential };
    const config: ExternalRequestConfig = { headers, operation, abort, onNewConnection };
    try {
      return responseOf(await firstValueFrom(this.http.get<unknown>(pathOf(target), config)));
    } catch (error) {
      const { response } = error as { response?: Partial<UpstreamResponse> };
      if (response !== undefined) return responseOf(response);
      throw failureOf(error);
    }
  }
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
  if (TIME_OUTS.has(code)) return timedOut();
  if (message.startsWith('maxContentLength')) return oversized();
  if (code === 'ERR_BAD_RESPONSE') return badResponse('The upstream response is unreadable');
  return isAxiosError === true || CONNECTION_ERROR.test(code) ? unreachable(false) : error;
}
