import { HttpService } from '@nestjs/axios';
import { Inject } from '@nestjs/common';
import axios, { type AxiosAdapter, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { defer, type Observable } from 'rxjs';
import { AbortEmitter } from '../../../common/abort-emitter';
import { UpstreamConnections, type RequestHeaders, type SendOptions } from './upstream-connections';
import { parseResponse } from './upstream-response';

/** The configuration of a request, which interceptors get too. */
export interface ExternalRequestConfig extends AxiosRequestConfig, SendOptions {
  /** The operation of the external system, such as `paged`. */
  readonly operation?: string;
}

/**
 * `HttpService` whose `get` goes to the connections directly. As soon as somebody has set an interceptor, an adapter or a
 * default, it goes through axios, which adds a sixth of the time of a request.
 */
export class ExternalHttpService extends HttpService {
  @Inject(UpstreamConnections) private readonly connections: UpstreamConnections;
  private readonly ownAdapter = this.axiosRef.defaults.adapter;

  override get<T>(path: string, config: ExternalRequestConfig = {}): Observable<AxiosResponse<T>> {
    if (this.isCustomised()) return super.get<T>(path, { ...config, signal: signalOf(config.abort) });
    return defer(async () => {
      const { status, headers, text } = await this.connections.get(path, config.headers as RequestHeaders, config);
      const data = parseResponse(text, headers, status) as T;
      return { status, statusText: '', headers, data, config } as AxiosResponse<T>;
    });
  }

  private isCustomised(): boolean {
    const { defaults, interceptors } = this.axiosRef;
    return (
      defaults.adapter !== this.ownAdapter ||
      Boolean(defaults.timeout) ||
      defaults.params !== undefined ||
      defaults.auth !== undefined ||
      countHeaders(defaults) !== OWN_HEADERS ||
      hasHandlers(interceptors.request) ||
      hasHandlers(interceptors.response)
    );
  }
}

const OWN_HEADERS = countHeaders(axios.create().defaults);

function countHeaders({ headers }: HttpService['axiosRef']['defaults']): number {
  return [headers, headers.common, headers.get].reduce((sum, part) => sum + Object.keys(part).length, 0);
}

function hasHandlers({ handlers }: { handlers?: readonly unknown[] }): boolean {
  return handlers !== undefined && handlers.length > 0;
}

/** axios takes no `EventEmitter`. */
function signalOf(abort: AbortEmitter | undefined): AbortSignal {
  const controller = new AbortController();
  abort?.once('abort', () => {
    controller.abort();
  });
  return controller.signal;
}

/** An axios adapter over the connections. It honours `headers`, `params`, `auth`, `timeout` and `signal`. */
export function createAdapter(connections: UpstreamConnections): AxiosAdapter {
  return async (config) => {
    const { headers, auth, timeout, signal } = config;
    const { onNewConnection } = config as ExternalRequestConfig;
    const abort = new AbortEmitter();
    const end = (): void => {
      abort.abort();
    };
    const timer = timeout === undefined || timeout === 0 ? undefined : setTimeout(end, timeout);
    signal?.addEventListener?.('abort', end);
    if (auth !== undefined) {
      const credentials = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
      headers.set('Authorization', `Basic ${credentials}`);
    }
    try {
      const path = axios.getUri({ ...config, baseURL: undefined });
      const response = await connections.get(path, headers.toJSON() as RequestHeaders, { abort, onNewConnection });
      const { status, headers: received, text } = response;
      return { data: text, status, statusText: '', headers: received, config } as AxiosResponse;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener?.('abort', end);
    }
  };
}
