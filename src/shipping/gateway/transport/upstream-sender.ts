import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import type { AbortEmitter } from '../../../common/abort-emitter';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../../config/external-system';
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
import type { ParameterValue, Send, UpstreamTarget } from '../protocol/shipping-protocol';
import type { ExternalRequestConfig } from './external-http.service';
import type { UpstreamResponse } from './upstream-response';

/** The attempt that requests belong to. */
export interface SendingAttempt {
  /** Name of the upstream operation. */
  readonly operation: string;
  readonly context: QueryContext;
  readonly abort: AbortEmitter;
  /** Whether its requests must not use a connection that is open already. */
  readonly onNewConnection: boolean;
  /** Attempts of the same call before this one. */
  readonly resends: number;
}

/**
 * Sends the requests of attempts by `HttpService`, with their headers and credential. Where tracing is preloaded, each has
 * a client span, which shows the template of the path and no parameters.
 */
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
    if (attempt.abort.aborted) throw timedOut();
    return this.send(target, attempt);
  }

  private send(target: UpstreamTarget, attempt: SendingAttempt): Promise<UpstreamResponse> {
    const traces = tracing();
    return traces === undefined ? this.authenticated(target, attempt) : this.inSpan(target, attempt, traces);
  }

  private inSpan(target: UpstreamTarget, attempt: SendingAttempt, traces: Tracing): Promise<UpstreamResponse> {
    const { url } = this.external;
    const { operation, context, resends } = attempt;
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
    return traces.inClientSpan(
      `GET ${path}`,
      attributes,
      async (span) => {
        const traced = { ...context, traceparent: traceparentOf(traceOfSpan(span)) };
        const response = await this.authenticated(target, { ...attempt, context: traced });
        const { status } = response;
        span.setAttribute('http.response.status_code', status);
        // 404 may mean that no record matches.
        if (!isSuccess(status) && status !== 404) failSpan(span, failedStatus(status).reason);
        return response;
      },
      (error) => (context.signal?.aborted === true ? 'caller-left' : outcomeOf(error)),
    );
  }

  /** Repeats a request once that got 401, where there is another credential. */
  private async authenticated(target: UpstreamTarget, attempt: SendingAttempt): Promise<UpstreamResponse> {
    const { operation } = attempt;
    const credential = await this.credentials.headers();
    let response = await this.get(target, attempt, credential);
    if (response.status === 401) {
      const other = await this.credentials.replace(credential);
      if (other !== undefined) response = await this.get(target, attempt, other);
    }
    this.credentialLog.responded(operation, response.status);
    return response;
  }

  private async get(
    target: UpstreamTarget,
    { operation, context, abort, onNewConnection }: SendingAttempt,
    credential: CredentialHeaders,
  ): Promise<UpstreamResponse> {
    if (abort.aborted) throw timedOut();
    const { requestId, traceparent, forwarded } = context;
    const headers = { Accept: 'application/json', 'X-Request-Id': requestId, traceparent, ...forwarded, ...credential };
    const config: ExternalRequestConfig = { headers, operation, abort, onNewConnection };
    try {
      return responseOf(await firstValueFrom(this.http.get<unknown>(encodedPath(target), config)));
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

/** The path and query of a request below the base URL, values encoded. */
function encodedPath({ path, id, query = {} }: UpstreamTarget): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
  const filled = id === undefined ? path : path.replace('{id}', () => encodeURIComponent(id));
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

function textOf(value: ParameterValue): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
