import { HttpService } from '@nestjs/axios';
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse } from 'axios';
import { decodeUtf8 } from '../../../common/utf8';
import type { QueryContext } from '../../model/query-context';
import type { UpstreamResponse } from './upstream-response';
import { timedOut } from '../../../resilience/http-failures';
import { Cancellation } from '../../../resilience/cancellation';
import { parseResponse } from './response-parser';
import type { RequestHeaders, UndiciTransport } from './undici-transport';

/** The axios configuration that interceptors get. */
export interface ExternalRequestConfig extends AxiosRequestConfig {
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
}

/** What belongs to one request, besides its path and context. */
export interface RequestOptions {
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
  readonly cancellation: Cancellation;
}

/**
 * `GET` requests through the axios instance of `HttpService`, so that its interceptors see them. Without interceptors a
 * request goes to the transport directly: axios would add a sixth of the time of a request.
 *
 * The defaults of the instance are frozen, because direct requests would not see a change.
 */
export class ExternalHttpClient {
  /** Of the external system. */
  readonly baseUrl: URL;
  private readonly axios: HttpService['axiosRef'];
  private readonly ownRequest: HttpService['axiosRef']['request'];
  private readonly authorization: string | undefined;

  constructor(
    http: HttpService,
    private readonly transport: UndiciTransport,
    token: string | undefined,
    private readonly staticHeaders?: Readonly<Record<string, string>>,
  ) {
    this.axios = http.axiosRef;
    this.baseUrl = new URL(http.axiosRef.defaults.baseURL ?? 'http://localhost');
    // Compared, never called.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    this.ownRequest = http.axiosRef.request;
    this.authorization = token === undefined ? undefined : `Bearer ${token}`;
    freezeDeeply(http.axiosRef.defaults);
  }

  /** @throws {AttemptFailure} for everything that is no complete response; the error of an interceptor */
  get(path: string, context: QueryContext, options: RequestOptions): Promise<UpstreamResponse> {
    const { requestId, traceparent, forwarded } = context;
    const own = {
      Accept: 'application/json',
      'X-Request-Id': requestId,
      traceparent,
      Authorization: this.authorization,
    };
    const hasMore = this.staticHeaders !== undefined || forwarded !== undefined;
    const headers = hasMore ? { ...own, ...this.staticHeaders, ...forwarded } : own;
    if (this.isIntercepted()) return this.getByAxios(path, headers, options);
    return this.transport.get(path, headers, options.cancellation).then(({ status, headers: received, body }) => ({
      status,
      headers: received,
      data: parseResponse(decodeUtf8(body), received, status),
    }));
  }

  private isIntercepted(): boolean {
    const { request, response } = this.axios.interceptors;
    return hasSome(request.handlers) || hasSome(response.handlers) || this.axios.request !== this.ownRequest;
  }

  private getByAxios(
    path: string,
    headers: RequestHeaders,
    { operation, cancellation }: RequestOptions,
  ): Promise<UpstreamResponse> {
    const controller = new AbortController();
    cancellation.listen((reason) => {
      controller.abort(reason);
    });
    const config: ExternalRequestConfig = { url: path, headers, operation, signal: controller.signal };
    return this.axios.request<unknown>(config);
  }
}

function hasSome(handlers: readonly unknown[] | undefined): boolean {
  return handlers !== undefined && handlers.length > 0;
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freezeDeeply);
}

/** An axios adapter over the transport; rejects as that does. */
export function createAxiosAdapter(transport: UndiciTransport): AxiosAdapter {
  return async (config) => {
    const cancellation = new Cancellation();
    const onAbort = (): void => {
      cancellation.cancel(timedOut());
    };
    config.signal?.addEventListener?.('abort', onAbort);
    try {
      const headers = config.headers.toJSON() as RequestHeaders;
      const { status, headers: received, body } = await transport.get(config.url ?? '/', headers, cancellation);
      return {
        data: decodeUtf8(body),
        status,
        statusText: '',
        headers: received,
        config,
      } as AxiosResponse<string>;
    } finally {
      config.signal?.removeEventListener?.('abort', onAbort);
    }
  };
}
