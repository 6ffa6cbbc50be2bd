import { HttpService } from '@nestjs/axios';
import type { AxiosAdapter, AxiosResponse } from 'axios';
import { decodeUtf8 } from '../../http/utf8';
import type { CallContext } from '../model/call-context';
import { timedOut } from './failures';
import { Cancellation } from './policy/cancellation';
import { parseReply } from './reply-parser';
import type { RequestHeaders, UndiciTransport } from './undici-transport';

/** A reply of the external system; `data` is parsed where the status is one of success, and text otherwise. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/**
 * `GET` requests through the axios instance of `HttpService`, so that its interceptors see them. While it has none, a
 * request goes to the transport directly: axios would add nothing but a sixth of the time that a request takes.
 *
 * The defaults of the instance are frozen, because a change of them would not be seen on the direct way.
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
  ) {
    this.axios = http.axiosRef;
    this.baseUrl = new URL(http.axiosRef.defaults.baseURL ?? 'http://localhost');
    // Compared, never called.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    this.ownRequest = http.axiosRef.request;
    this.authorization = token === undefined ? undefined : `Bearer ${token}`;
    freezeDeeply(http.axiosRef.defaults);
  }

  /** @throws {AttemptFailure} for everything that is no whole reply; whatever an interceptor throws */
  get(path: string, { requestId, traceparent }: CallContext, abandonment: Cancellation): Promise<Reply> {
    const headers = {
      Accept: 'application/json',
      'X-Request-Id': requestId,
      traceparent,
      Authorization: this.authorization,
    };
    if (this.isIntercepted()) return this.getByAxios(path, headers, abandonment);
    return this.transport.get(path, headers, abandonment).then(({ status, headers: received, body }) => ({
      status,
      headers: received,
      data: parseReply(decodeUtf8(body), received, status),
    }));
  }

  private isIntercepted(): boolean {
    const { request, response } = this.axios.interceptors;
    return hasSome(request.handlers) || hasSome(response.handlers) || this.axios.request !== this.ownRequest;
  }

  private getByAxios(path: string, headers: RequestHeaders, abandonment: Cancellation): Promise<Reply> {
    const controller = new AbortController();
    abandonment.listen((reason) => {
      controller.abort(reason);
    });
    return this.axios.request<unknown>({ url: path, headers, signal: controller.signal });
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
    const abandonment = new Cancellation();
    const onAbort = (): void => {
      abandonment.cancel(timedOut());
    };
    config.signal?.addEventListener?.('abort', onAbort);
    try {
      const headers = config.headers.toJSON() as RequestHeaders;
      const { status, headers: received, body } = await transport.get(config.url ?? '/', headers, abandonment);
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
