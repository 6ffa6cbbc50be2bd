import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { errors, Pool, type Dispatcher } from 'undici';
import type { AbortEmitter } from '../../../common/abort-emitter';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../external-system';
import { SETTINGS, type Settings } from '../../../config/settings';
import {
  badResponse,
  isSuccess,
  oversized,
  timedOut,
  unreachable,
  wrongShape,
} from '../../../resilience/http-failures';
import type { UpstreamFailure } from '../../../resilience/upstream-failure';

/** Servers close idle connections after 5 s. */
const IDLE_CONNECTION_MS = 4000;
// With zlib's own 16 KiB, a bomb keeps a thread busy ten times as long before the limit stops it.
const DECODING_CHUNK_BYTES = 131_072;
/** Codes of a connection that was closed or reset. */
const LOST: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

type Decoder = (body: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>;
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Request headers; `undefined` values are not sent. */
export type RequestHeaders = Record<string, string | undefined>;

/** How a request is sent. */
export interface SendOptions {
  /** Ends the request and its connection at once. */
  readonly abort?: AbortEmitter;
  /** Whether it must not use a connection that is open already. */
  readonly onNewConnection?: boolean;
}

/** A whole response, its body decoded. */
export interface TextResponse {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
}

/** The connections to the external system: no redirects, no proxies, no time-outs except by abort. */
@Injectable()
export class UpstreamConnections implements OnApplicationShutdown {
  /** The code of the last failed connection, such as `ECONNREFUSED`; `undefined` while connections succeed. */
  error: string | undefined;
  private readonly logger = new Logger(UpstreamConnections.name);
  private readonly kept: Pool;
  /** Each request has a connection of its own, which is closed after it. */
  private readonly fresh: Pool;
  private readonly basePath: string;
  private readonly maxBytes: number;

  constructor(
    @Inject(EXTERNAL_SYSTEM) { url }: Pick<ExternalSystem, 'url'>,
    @Inject(SETTINGS) { external }: Pick<Settings, 'external'>,
  ) {
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.maxBytes = external.maxResponseBytes;
    const options: Pool.Options = {
      connect: { ...external.tls, timeout: external.attemptTimeoutMs },
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: external.maxResponseBytes,
    };
    this.kept = new Pool(url.origin, { ...options, connections: external.maxConcurrent, pipelining: 1 });
    this.fresh = new Pool(url.origin, { ...options, pipelining: 0 });
  }

  /**
   * Sends a `GET` request.
   *
   * @param path below the base URL; it is sent unchanged
   * @throws {UpstreamFailure} for everything that is no whole response
   */
  async get(
    path: string,
    headers: RequestHeaders,
    { abort, onNewConnection = false }: SendOptions,
  ): Promise<TextResponse> {
    const pool = onNewConnection ? this.fresh : this.kept;
    const options = { method: 'GET', path: this.basePath + path, headers, signal: abort } as const;
    const response = await pool.request(options).catch((error: unknown) => {
      throw this.failureOf(error as NodeJS.ErrnoException, onNewConnection);
    });
    this.logChange(undefined);
    const { statusCode: status, headers: received } = response;
    const text = await this.read(response).catch((error: unknown) => {
      // A failed status decides, whatever its body.
      if (isSuccess(status)) throw error;
      return '';
    });
    return { status, headers: received, text };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.kept.destroy(), this.fresh.destroy()]);
  }

  private failureOf(error: NodeJS.ErrnoException, onNewConnection: boolean): UpstreamFailure {
    if (error instanceof errors.HeadersOverflowError) return oversized();
    if (error instanceof errors.HTTPParserError) return badResponse('The upstream response is no HTTP');
    if (error instanceof errors.RequestAbortedError) return timedOut();
    const code = error.code ?? error.name;
    const isLost = LOST.has(code);
    // One that was kept alive may be lost at any time.
    if (!isLost || onNewConnection) this.logChange(code);
    return unreachable(isLost);
  }

  /** Logs why the external system is unreachable, and when it is reachable again. */
  private logChange(error: string | undefined): void {
    if (error === this.error) return;
    this.error = error;
    if (error === undefined) this.logger.log('The external system is reachable');
    else this.logger.warn(`The external system is unreachable: ${error}`);
  }

  private async read({ headers, body }: Dispatcher.ResponseData): Promise<string> {
    const encoding = String(headers['content-encoding'] ?? 'identity')
      .trim()
      .toLowerCase();
    const reading = encoding === 'identity' ? body.text() : body.arrayBuffer();
    const received = await reading.catch((error: unknown) => {
      const isTooLarge = error instanceof errors.ResponseExceededMaxSizeError;
      throw isTooLarge ? oversized() : badResponse('The upstream response broke off');
    });
    return typeof received === 'string' ? received : this.decode(Buffer.from(received), encoding);
  }

  private async decode(body: Buffer, encoding: string): Promise<string> {
    const decoder = DECODERS.get(encoding);
    if (decoder === undefined) throw wrongShape('The upstream response has an unknown content encoding');
    if (body.length === 0) return '';
    try {
      const options = { maxOutputLength: this.maxBytes, chunkSize: DECODING_CHUNK_BYTES };
      return (await decoder(body, options)).toString();
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLarge ? oversized() : wrongShape('The upstream response could not be decompressed');
    }
  }
}
