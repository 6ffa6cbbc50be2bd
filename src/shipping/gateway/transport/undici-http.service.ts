import { HttpService } from '@nestjs/axios';
import { Inject, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import axios, { type AxiosAdapter, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { defer, type Observable } from 'rxjs';
import { errors, Pool, type Dispatcher } from 'undici';
import { SETTINGS, type Settings } from '../../../config/settings';
import { FailureLog } from '../../../observability/logging/failure-log';
import { AbortEmitter } from '../../../resilience/deadline';
import * as failures from '../../../resilience/http-failures';
import type { UpstreamFailure } from '../../../resilience/upstream-failure';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../external-address';

/** Servers close idle connections after 5 s. */
const IDLE_CONNECTION_MS = 4000;
const LOST: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Interceptors get it too. */
export interface ExternalRequestConfig extends AxiosRequestConfig {
  /** Such as `paged`. */
  readonly operation?: string;
  readonly abort?: AbortEmitter;
  /** Uses no connection that is open already. */
  readonly onNewConnection?: boolean;
}

/**
 * `HttpService` whose `get` goes to undici: no redirects, no proxies, no time-outs except by `abort`. With interceptors,
 * another adapter or defaults it goes through axios, which adds a sixth of the time of a request.
 */
export class UndiciHttpService extends HttpService implements OnModuleInit, OnApplicationShutdown {
  @Inject(EXTERNAL_SYSTEM) private readonly system: ExternalSystem;
  @Inject(SETTINGS) private readonly settings: Settings;
  private readonly connectionLog = new FailureLog(UndiciHttpService.name);
  private kept: Pool;
  /** A connection for each request. */
  private fresh: Pool;
  private basePath: string;

  onModuleInit(): void {
    const { url } = this.system;
    const { tls, attemptTimeoutMs, maxConcurrent, maxResponseBytes } = this.settings.external;
    const options: Pool.Options = {
      connect: { ...tls, timeout: attemptTimeoutMs },
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: maxResponseBytes,
    };
    this.kept = new Pool(url.origin, { ...options, connections: maxConcurrent, pipelining: 1 });
    this.fresh = new Pool(url.origin, { ...options, pipelining: 0 });
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.axiosRef.defaults.adapter = this.adapter;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.kept.destroy(), this.fresh.destroy()]);
  }

  /** @throws {UpstreamFailure} for everything that is no whole response */
  override get<T>(path: string, config: ExternalRequestConfig = {}): Observable<AxiosResponse<T>> {
    if (this.isCustomised()) return super.get<T>(path, { ...config, signal: signalOf(config.abort) });
    return defer(async () => {
      const response = await this.send(path, config);
      response.data = parseJson(response.data, response.headers, response.status);
      return response as AxiosResponse<T>;
    });
  }

  private isCustomised(): boolean {
    const { defaults, interceptors } = this.axiosRef;
    return (
      defaults.adapter !== this.adapter ||
      Boolean(defaults.timeout) ||
      defaults.params !== undefined ||
      defaults.auth !== undefined ||
      countHeaders(defaults) !== OWN_HEADERS ||
      [interceptors.request, interceptors.response].some(({ handlers = [] }) => handlers.length > 0)
    );
  }

  /** Honours `headers`, `params`, `auth`, `timeout` and `signal`. */
  private readonly adapter: AxiosAdapter = async (config) => {
    const { headers, auth, timeout, signal } = config;
    const abort = new AbortEmitter();
    const end = (): void => {
      abort.abort();
    };
    const timer = timeout === undefined || timeout === 0 ? undefined : setTimeout(end, timeout);
    signal?.addEventListener?.('abort', end);
    if (auth !== undefined) {
      headers.set('Authorization', `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`);
    }
    try {
      const path = axios.getUri({ ...config, baseURL: undefined });
      return { ...(await this.send(path, { ...config, headers: headers.toJSON(), abort })), config };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener?.('abort', end);
    }
  };

  private async send(path: string, config: ExternalRequestConfig): Promise<AxiosResponse> {
    const { abort: signal, onNewConnection = false } = config;
    const headers = config.headers as Record<string, string>;
    const pool = onNewConnection ? this.fresh : this.kept;
    const sending = pool.request({ method: 'GET', path: this.basePath + path, headers, signal });
    const response = await sending.catch((error: unknown) => {
      throw signal?.aborted === true
        ? failures.timedOut()
        : this.failureOf(error as NodeJS.ErrnoException, onNewConnection);
    });
    if (this.connectionLog.isFailing) this.connectionLog.recovered('The external system is reachable');
    const { statusCode: status, headers: received } = response;
    const data = await readText(response, this.settings.external.maxResponseBytes).catch((error: unknown) => {
      // A failed status decides, whatever its body.
      if (isSuccess(status)) throw error;
      return '';
    });
    return { status, statusText: '', headers: received, data, config } as AxiosResponse;
  }

  private failureOf(error: NodeJS.ErrnoException, onNewConnection: boolean): UpstreamFailure {
    if (error instanceof errors.HeadersOverflowError) return failures.oversized();
    if (error instanceof errors.HTTPParserError) return failures.badResponse('The upstream response is no HTTP');
    const code = error.code ?? error.name;
    const isLost = LOST.has(code);
    // A kept one may be lost at any time.
    if (!isLost || onNewConnection) this.connectionLog.failed(`The external system is unreachable: ${code}`);
    return failures.unreachable(isLost);
  }
}

const OWN_HEADERS = countHeaders(axios.create().defaults);

function countHeaders({ headers }: HttpService['axiosRef']['defaults']): number {
  return [headers, headers.common, headers.get].reduce((sum, part) => sum + Object.keys(part).length, 0);
}

/** axios takes no `EventEmitter`. */
function signalOf(abort: AbortEmitter | undefined): AbortSignal {
  const controller = new AbortController();
  abort?.once('abort', () => {
    controller.abort();
  });
  return controller.signal;
}

type Decoder = (body: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>;
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
// With 16 KiB, a bomb keeps a thread busy ten times as long.
const DECODING_CHUNK_BYTES = 131_072;

async function readText({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const encoding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase();
  const reading = encoding === 'identity' ? body.text() : body.arrayBuffer();
  const received = await reading.catch((error: unknown) => {
    const isTooLarge = error instanceof errors.ResponseExceededMaxSizeError;
    throw isTooLarge ? failures.oversized() : failures.badResponse('The upstream response broke off');
  });
  if (typeof received === 'string') return received;
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw failures.wrongShape('The upstream response has an unknown content encoding');
  if (received.byteLength === 0) return '';
  try {
    const options = { maxOutputLength: maxBytes, chunkSize: DECODING_CHUNK_BYTES };
    return (await decoder(Buffer.from(received), options)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw failures.oversized();
    throw failures.wrongShape('The upstream response could not be decompressed');
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Parses the body of a successful response, also for axios; an empty one is `undefined`.
 *
 * @throws {UpstreamFailure} where the text is no JSON
 */
export function parseJson(body: unknown, _headers?: unknown, status = 200): unknown {
  if (typeof body !== 'string' || !isSuccess(status)) return body;
  // A byte order mark.
  const json = body.startsWith('\ufeff') ? body.slice(1) : body;
  if (json === '') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw failures.wrongShape('The upstream response is no JSON');
  }
}
