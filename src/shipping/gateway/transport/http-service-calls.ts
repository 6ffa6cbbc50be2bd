import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import { firstValueFrom, isObservable } from 'rxjs';
import { UsageError } from '../../../common/errors';
import { Cancellation } from '../../../resilience/cancellation';
import { badResponse, oversized, timedOut, unreachable } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { ConnectionState } from './connection-state';
import type { RequestHeaders, UndiciTransport } from './undici-transport';
import type { UpstreamResponse } from './upstream-response';

/** The adapter of the axios instance of `HttpService`. */
export const AXIOS_ADAPTER = Symbol('AXIOS_ADAPTER');

/** The axios configuration that interceptors get. */
export interface ExternalRequestConfig extends AxiosRequestConfig {
  /** Path and query, below the base URL. */
  readonly url: string;
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
}

/** What can be replaced, of `HttpService` and of its axios instance. */
interface Functions {
  readonly get?: unknown;
  readonly request?: unknown;
}

const OWN_FUNCTIONS = functionsOf(HttpService.prototype);

const TIME_OUTS: ReadonlySet<unknown> = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);
const BAD_RESPONSES: ReadonlySet<unknown> = new Set(['ERR_BAD_RESPONSE', 'ERR_BAD_REQUEST']);
const CONNECTION_ERROR = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|EPIPE)/;

/**
 * Calls through `HttpService`, so that everything that a team or a test puts in its place or around it is called: a mock,
 * a spy, an interceptor, an adapter, a changed default.
 */
@Injectable()
export class HttpServiceCalls {
  private readonly axios: HttpService['axiosRef'] | undefined;
  private readonly axiosFunctions: Functions;
  private readonly defaults: readonly (readonly [part: object, entries: readonly [string, unknown][]])[];

  /** @param adapter of the service; an instance with another one is never untouched */
  constructor(
    private readonly http: HttpService,
    @Inject(AXIOS_ADAPTER) adapter: AxiosAdapter,
    private readonly connections: ConnectionState,
  ) {
    const axios = http.axiosRef as HttpService['axiosRef'] | undefined;
    this.axiosFunctions = functionsOf(axios);
    if ((axios?.defaults as { adapter?: unknown } | undefined)?.adapter === adapter) this.axios = axios;
    this.defaults = this.axios === undefined ? [] : entriesOf(this.axios.defaults);
  }

  /** Whether `HttpService` is as the service made it, so that a request may go past it. 1 µs; axios takes 25, `HttpService` 30 more. */
  get untouched(): boolean {
    const { axios, http } = this;
    return (
      axios !== undefined &&
      isSame(http, OWN_FUNCTIONS) &&
      http.axiosRef === axios &&
      isSame(axios, this.axiosFunctions) &&
      isEmpty(axios.interceptors.request.handlers) &&
      isEmpty(axios.interceptors.response.handlers) &&
      this.defaults.every(hasSameEntries)
    );
  }

  /** @throws {AttemptFailure} where there is no response; other errors unchanged, such as that of an interceptor */
  async get(config: ExternalRequestConfig, cancellation: Cancellation): Promise<UpstreamResponse> {
    if (cancellation.reason !== undefined) throw timedOut();
    const controller = new AbortController();
    const cancelled = new Promise<never>((_, reject) => {
      cancellation.listen((reason) => {
        controller.abort(reason);
        reject(timedOut());
      });
    });
    try {
      const response = await Promise.race([this.send({ ...config, signal: controller.signal }), cancelled]);
      this.connections.succeeded();
      return responseOf(response);
    } catch (error) {
      const { response } = (error ?? {}) as { response?: unknown };
      if (response !== undefined) return responseOf(response);
      throw this.failureOf(error);
    }
  }

  /** Calls the outermost function that was replaced. */
  private async send(config: ExternalRequestConfig): Promise<unknown> {
    const { http, axiosFunctions } = this;
    if (isReplaced('get', http, OWN_FUNCTIONS)) return valueOf(http.get(config.url, config));
    if (isReplaced('request', http, OWN_FUNCTIONS)) return valueOf(http.request(config));
    const axios = http.axiosRef as Partial<HttpService['axiosRef']> | undefined;
    const isOnlyGet = axios?.request === undefined || isReplaced('get', axios, axiosFunctions);
    if (axios?.get !== undefined && isOnlyGet) return axios.get(config.url, config);
    if (axios?.request === undefined) throw new UsageError('HttpService has no get, no request and no axiosRef');
    return axios.request(config);
  }

  private failureOf(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof UpstreamFailure) return error;
    const { code, isAxiosError, message } = error as Error & { code?: string; isAxiosError?: boolean };
    if (TIME_OUTS.has(code)) return timedOut();
    if (BAD_RESPONSES.has(code)) {
      return message.startsWith('maxContentLength') ? oversized() : badResponse('The upstream response is unreadable');
    }
    if (isAxiosError !== true && !CONNECTION_ERROR.test(code ?? '')) return error;
    this.connections.failed(error);
    return unreachable(false);
  }
}

/** What decides about a `GET`, and could be changed in place. */
function entriesOf(defaults: HttpService['axiosRef']['defaults']): HttpServiceCalls['defaults'] {
  const { headers, transformRequest, transformResponse } = defaults;
  const parts = [defaults, headers, headers.common, headers.get, transformRequest, transformResponse];
  return parts.filter((part) => typeof part === 'object').map((part) => [part, Object.entries(part)]);
}

function hasSameEntries([part, entries]: HttpServiceCalls['defaults'][number]): boolean {
  return (
    Object.keys(part).length === entries.length &&
    entries.every(([name, value]) => (part as Record<string, unknown>)[name] === value)
  );
}

function isEmpty(handlers: readonly unknown[] | undefined): boolean {
  return handlers === undefined || handlers.length === 0;
}

function functionsOf({ get, request }: Functions = {}): Functions {
  return { get, request };
}

function isSame({ get, request }: Functions, own: Functions): boolean {
  return get === own.get && request === own.request;
}

function isReplaced(name: keyof Functions, current: Functions, own: Functions): boolean {
  return current[name] !== undefined && current[name] !== own[name];
}

/** A mock may return a value or a promise instead of an Observable. */
function valueOf(returned: unknown): unknown {
  return isObservable(returned) ? firstValueFrom(returned) : returned;
}

/** A mock may leave out the status, which is then 200, and the headers. Names of headers are in lower case. */
function responseOf(response: unknown): UpstreamResponse {
  if (typeof response !== 'object' || response === null) {
    throw new UsageError('HttpService returned no response: a mock has to return an Observable of { data }');
  }
  const { status = 200, headers = {}, data } = response as Partial<UpstreamResponse>;
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { status, headers: Object.fromEntries(lowerCased), data };
}

/**
 * An axios adapter over the transport. It honours `params`, `headers`, `auth`, `timeout` and `validateStatus`; options of
 * axios's own transports have no effect. Requests with another `baseURL` than that of the transport go through axios's own.
 */
export function createAxiosAdapter(transport: UndiciTransport, baseURL?: string): AxiosAdapter {
  return async (config) => {
    if (config.baseURL !== baseURL) return (await loadAxios()).getAdapter('http')(config);
    const cancellation = new Cancellation();
    const abort = (): void => {
      cancellation.cancel(timedOut());
    };
    const timer = (config.timeout ?? 0) > 0 ? setTimeout(abort, config.timeout) : undefined;
    config.signal?.addEventListener?.('abort', abort);
    try {
      const { status, headers, body } = await transport.get(await pathOf(config), headersOf(config), cancellation);
      const response = { data: body.toString(), status, statusText: '', headers, config } as AxiosResponse<string>;
      if (config.validateStatus?.(status) === false) throw await refused(response);
      return response;
    } finally {
      clearTimeout(timer);
      config.signal?.removeEventListener?.('abort', abort);
    }
  };
}

async function pathOf({ url = '/', params, paramsSerializer }: InternalAxiosRequestConfig): Promise<string> {
  if (params === undefined) return url;
  return (await loadAxios()).getUri({ url, params: params as unknown, paramsSerializer });
}

function headersOf({ headers, auth }: InternalAxiosRequestConfig): RequestHeaders {
  if (auth !== undefined) {
    const credentials = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
    headers.set('Authorization', `Basic ${credentials}`);
  }
  return headers.toJSON() as RequestHeaders;
}

async function refused(response: AxiosResponse): Promise<Error> {
  const { AxiosError } = await loadAxios();
  const { config, status } = response;
  const code = status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  return new AxiosError(`Request failed with status code ${status}`, code, config, undefined, response);
}

/** Loaded where it is needed: only few teams change what needs it. */
async function loadAxios(): Promise<AxiosStatic> {
  return (await import('axios')).default as unknown as AxiosStatic;
}
