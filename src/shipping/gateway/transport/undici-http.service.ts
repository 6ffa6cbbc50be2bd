import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import axios, { type AxiosAdapter, type AxiosRequestConfig, type AxiosResponse, type CreateAxiosDefaults } from 'axios';
import { firstValueFrom, Observable } from 'rxjs';
import { SETTINGS, type Settings } from '../../../config/settings';
import { PlainSignal } from '../../../resilience/deadline';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { GatewayMetrics } from '../gateway.metrics';
import { ConnectionPools, Connections } from './connection-pools';
import { type ReceivedResponse, ResponseHandler, type TransportSignal } from './response-handler';
import { parseBody } from './response-text';

/** The external system, or the sandbox of this process, which stands in for it. */
export abstract class UpstreamSystem {
  /** The base URL. Its path has no slash at the end, unless the path is `/`. */
  abstract readonly url: URL;
  /** Whether the external system is the sandbox of this process. */
  abstract readonly embedded: boolean;
}

/**
 * `HttpService` whose `get` sends by undici: without redirects, proxies, and time-outs except by `signal`. Once any
 * code has read `axiosRef`, `get` goes through axios, because interceptors may have been added there; a request then
 * takes about a sixth more time.
 */
@Injectable()
export class UndiciHttpService extends HttpService {
  private readonly basePath: string;
  private readonly pools: ConnectionPools;
  private isCustomised = false;

  constructor(
    // `HttpService` has a token of its own for its first parameter, which counts unless this one has one.
    @Inject(UpstreamSystem) { url }: UpstreamSystem,
    @Inject(SETTINGS) private readonly settings: Settings,
    connections: Connections,
    metrics: GatewayMetrics,
  ) {
    // The cast is needed because `@nestjs/axios` has the types of axios as an ES module, which TypeScript takes for
    // other types.
    super(axios.create(axiosOptions(url, settings)) as HttpService['axiosRef']);
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.pools = new ConnectionPools(url, settings, metrics, connections);
    this.instance.defaults.adapter = this.adapter;
  }

  /**
   * Code that gets the instance of axios may set interceptors, an adapter or defaults. They have to take effect, so
   * that `get` goes through axios from then on.
   */
  override get axiosRef(): HttpService['axiosRef'] {
    this.isCustomised = true;
    return super.axiosRef;
  }

  /**
   * @throws {UpstreamFailure} where no response arrives, or where the body of a successful one cannot be read; a
   * response with a failed status is returned
   */
  override get<T>(path: string, config: AxiosRequestConfig = {}): Observable<AxiosResponse<T>> {
    if (this.isCustomised) return super.get<T>(path, config);
    return this.receive(path, config, parseBody) as Observable<AxiosResponse<T>>;
  }

  /** Sends requests of axios by undici. It honours the options `headers`, `params`, `auth`, `timeout` and `signal`. */
  private readonly adapter: AxiosAdapter = async (config) => {
    const { headers, auth } = config;
    if (auth !== undefined) {
      headers.set('Authorization', `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`);
    }
    const path = axios.getUri({ ...config, baseURL: undefined });
    const received = this.receive(path, { ...config, headers: headers.toJSON() }, (body) => body);
    return { ...(await firstValueFrom(received)), config };
  };

  private receive(path: string, config: AxiosRequestConfig, read: typeof parseBody): Observable<AxiosResponse> {
    const { timeout = 0 } = config;
    const request = {
      method: 'GET',
      path: this.basePath + path,
      headers: config.headers as Record<string, string>,
      // Without the option `timeout` of axios, 0 turns the time-outs of undici off: the attempt has a deadline.
      headersTimeout: timeout,
      bodyTimeout: timeout,
    } as const;
    return new Observable((subscriber) => {
      const signal: TransportSignal = config.signal ?? new PlainSignal();
      const pool = signal.onNewConnection === true ? this.pools.singleUse : this.pools.current;
      signal.waitsFor = this.pools;
      const settle = (result: ReceivedResponse | UpstreamFailure): void => {
        try {
          if (result instanceof UpstreamFailure) throw result;
          const { status, headers, body } = result;
          const data = read(body, headers, status, signal);
          subscriber.next({ status, statusText: '', headers, data, config } as AxiosResponse);
          subscriber.complete();
        } catch (error) {
          subscriber.error(error);
        }
      };
      pool.dispatch(request, new ResponseHandler(this.settings.external.maxResponseBytes, signal, settle));
    });
  }
}

/**
 * The options of axios. With them a call stays within its host and size, even where an application that extends the
 * service sets another adapter of axios.
 */
function axiosOptions(url: URL, { external }: Settings): CreateAxiosDefaults {
  return {
    baseURL: url.href,
    transformResponse(body, headers, status): unknown {
      const signal: TransportSignal | undefined = this.signal;
      return parseBody(body, headers, status, signal);
    },
    // Bytes, because axios would decode every text as UTF-8: the charset of the response decides (D80).
    responseType: 'arraybuffer',
    validateStatus: null,
    allowAbsoluteUrls: false,
    maxContentLength: external.maxResponseBytes,
    maxRedirects: 0,
    proxy: false,
  };
}
