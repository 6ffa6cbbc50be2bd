import { HttpService } from '@nestjs/axios';
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse } from 'axios';
import { decodeUtf8 } from '../../../common/utf8';
import type { QueryContext } from '../../model/query-context';
import type { UpstreamResponse } from './upstream-response';
import { timedOut } from '../../../resilience/http-failures';
import { Cancellation } from '../../../resilience/cancellation';
import { CredentialState } from '../credentials/credential-state';
import { type CredentialHeaders, UpstreamCredentials } from '../credentials/upstream-credentials';
import { parseResponse } from './response-parser';
import type { RequestHeaders, UndiciTransport } from './undici-transport';

/** The axios configuration that interceptors get. */
export interface ExternalRequestConfig extends AxiosRequestConfig {
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
}

/** One `GET` request. */
export interface ExternalRequest {
  /** Path and query, below the base URL. */
  readonly path: string;
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
  readonly context: QueryContext;
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

  constructor(
    http: HttpService,
    private readonly transport: UndiciTransport,
    private readonly credentials: UpstreamCredentials,
    private readonly staticHeaders?: Readonly<Record<string, string>>,
    private readonly credentialState = new CredentialState(),
  ) {
    this.axios = http.axiosRef;
    this.baseUrl = new URL(http.axiosRef.defaults.baseURL ?? 'http://localhost');
    // Compared, never called.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    this.ownRequest = http.axiosRef.request;
    freezeDeeply(http.axiosRef.defaults);
  }

  /**
   * Repeats a request once that got 401, where there is another credential.
   *
   * @throws {AttemptFailure} for everything that is no complete response; the error of an interceptor
   */
  get(request: ExternalRequest): Promise<UpstreamResponse> {
    const { cancellation } = request;
    const credential = this.credentials.headers(cancellation);
    // Where it is known, no promise delays the request.
    if (!(credential instanceof Promise)) return this.send(request, credential);
    return credential.then((fetched) => {
      cancellation.throwIfCancelled();
      return this.send(request, fetched);
    });
  }

  private send(request: ExternalRequest, credential: CredentialHeaders, isRepeated = false): Promise<UpstreamResponse> {
    const headers = this.headersOf(request.context, credential);
    const accept = (response: UpstreamResponse): UpstreamResponse | Promise<UpstreamResponse> =>
      response.status === 401 && !isRepeated
        ? this.repeat(request, response, credential)
        : this.final(request, response);
    if (this.isIntercepted()) return this.getByAxios(request, headers).then(accept);
    return this.transport
      .get(request.path, headers, request.cancellation)
      .then(({ status, headers: received, body }) =>
        accept({ status, headers: received, data: parseResponse(decodeUtf8(body), received, status) }),
      );
  }

  private headersOf(
    { requestId, traceparent, forwarded }: QueryContext,
    credential: CredentialHeaders,
  ): RequestHeaders {
    return {
      Accept: 'application/json',
      'X-Request-Id': requestId,
      traceparent,
      ...this.staticHeaders,
      ...forwarded,
      ...credential,
    };
  }

  private async repeat(
    request: ExternalRequest,
    response: UpstreamResponse,
    rejected: CredentialHeaders,
  ): Promise<UpstreamResponse> {
    request.cancellation.throwIfCancelled();
    const other = await this.credentials.replace(rejected, request.cancellation);
    request.cancellation.throwIfCancelled();
    return other === undefined ? this.final(request, response) : this.send(request, other, true);
  }

  private final({ operation }: ExternalRequest, response: UpstreamResponse): UpstreamResponse {
    this.credentialState.responded(operation, response.status);
    return response;
  }

  private isIntercepted(): boolean {
    const { request, response } = this.axios.interceptors;
    return hasSome(request.handlers) || hasSome(response.handlers) || this.axios.request !== this.ownRequest;
  }

  private getByAxios(
    { path, operation, cancellation }: ExternalRequest,
    headers: RequestHeaders,
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
