import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { buildConnector, errors, Pool, type Dispatcher } from 'undici';
import type { Settings } from '../../../config/settings';
import type { Cancellation } from '../../../resilience/cancellation';
import { badResponse, isSuccess, oversized, timedOut, unreachable } from '../../../resilience/http-failures';
import type { AttemptFailure } from '../../../resilience/upstream-failure';
import type { ConnectionState } from './connection-state';
import { TrackedClient, type Connection, type TrackedOptions } from './tracked-client';

/** Limits of the pooled connections to one origin. */
export interface PoolLimits {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Of the body, encoded and decoded alike. */
  readonly maxResponseBytes: number;
}

const NOTHING = Buffer.alloc(0);
// With zlib's own 16 KiB, a bomb keeps a thread busy ten times as long before the limit stops it.
const DECODING_CHUNK_BYTES = 131_072;
const IDLE_CONNECTION_MS = 4000;

const DECODERS: ReadonlyMap<
  string,
  (body: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>
> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Keep-alive connections to one origin: no redirects, no proxies, no time-outs except by cancellation. */
export function createPool(origin: string, limits: PoolLimits, tls?: Settings['external']['tls']): Pool {
  // undici would turn connect options of the pool into a function before the factory gets them.
  const connector = buildConnector({ timeout: limits.connectTimeoutMs, ...tls });
  return new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (url, options) => new TrackedClient(url, options, connector),
  });
}

/** Request headers; `undefined` values are not sent. */
export type RequestHeaders = Record<string, string | undefined>;

/** A complete upstream response, its body decoded. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends `GET` requests over a pool of connections. Paths are sent unchanged, behind the base path. */
export class UndiciTransport {
  private readonly prefix: string;

  constructor(
    private readonly pool: Pool,
    basePath: string,
    private readonly limits: PoolLimits,
    private readonly connections: ConnectionState,
  ) {
    this.prefix = basePath.replace(/\/+$/, '');
  }

  /**
   * @param cancellation ends the request and its connection at once; the request is its listener meanwhile
   * @throws {AttemptFailure} for everything that is no complete response: no connection, a broken, oversized or undecodable body
   */
  get(path: string, headers: RequestHeaders, cancellation: Cancellation): Promise<RawResponse> {
    return new Exchange(this.pool, cancellation, this.limits.maxResponseBytes, this.connections).run(
      this.prefix + path,
      headers,
    );
  }
}

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  private connection?: Connection;
  private responsesBefore = 0;
  private receivedBefore = 0;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private controller?: Dispatcher.DispatchController;
  private settled = false;
  private resolve: (response: RawResponse | Promise<RawResponse>) => void;
  private reject: (failure: AttemptFailure) => void;

  constructor(
    private readonly pool: Pool,
    private readonly cancellation: Cancellation,
    private readonly maxBytes: number,
    private readonly connections: ConnectionState,
  ) {}

  run(path: string, headers: RequestHeaders): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      if (this.cancellation.reason !== undefined) {
        reject(timedOut());
        return;
      }
      this.cancellation.listen(this.onCancelled);
      const options: TrackedOptions = { method: 'GET', path, headers, carriedBy: this.carriedBy };
      this.pool.dispatch(options, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.responsesBefore = this.connection?.responses ?? 0;
    this.receivedBefore = this.connection?.received ?? 0;
    if (this.settled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.connections.succeeded();
    // undici reports informational responses (1xx), too.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (Number(headers['content-length']) > this.maxBytes) this.failBody(oversized());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.maxBytes) this.failBody(oversized());
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.connection !== undefined) this.connection.responses += 1;
    const [only] = this.chunks;
    this.respond(this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // Otherwise a request that the service itself aborted would count as a failed connection.
    if (this.settled) return;
    this.failBody(this.describe(error));
  }

  private readonly carriedBy = (connection: Connection): void => {
    this.connection = connection;
  };

  private readonly onCancelled = (): void => {
    this.fail(timedOut());
  };

  private respond(body: Buffer): void {
    if (!this.settle()) return;
    const { status, headers } = this;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) this.resolve(this.decode(body, encoding));
    else this.resolve({ status, headers, body });
  }

  private async decode(encoded: Buffer, encoding: string | string[]): Promise<RawResponse> {
    const { status, headers } = this;
    const decoded = decode(encoded, encoding, this.maxBytes);
    // The body of a failed response is for interceptors only.
    const body = isSuccess(status) ? await decoded : await decoded.catch(() => NOTHING);
    return { status, headers, body };
  }

  /** The body is incomplete or too long. A failed status decides, whatever its body. */
  private failBody(failure: AttemptFailure): void {
    if (this.status === 0 || isSuccess(this.status)) {
      this.fail(failure);
    } else {
      this.respond(NOTHING);
      this.controller?.abort(failure);
    }
  }

  private fail(failure: AttemptFailure): void {
    if (!this.settle()) return;
    this.controller?.abort(failure);
    this.reject(failure);
  }

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.cancellation.listen(undefined);
    return true;
  }

  private describe(error: Error): AttemptFailure {
    if (error instanceof errors.HeadersOverflowError) return oversized();
    const began = this.status !== 0 || (this.connection?.received ?? 0) > this.receivedBefore;
    if (began || error instanceof errors.HTTPParserError) return badResponse('The upstream response broke off');
    const dead = this.responsesBefore > 0;
    if (!dead) this.connections.failed(this.connection?.firstError ?? error);
    return unreachable(dead);
  }
}

async function decode(body: Buffer, header: string | string[], maxOutputLength: number): Promise<Buffer> {
  const encoding = String(header).trim().toLowerCase();
  if (encoding === 'identity' || body.length === 0) return body;
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw badResponse('The upstream response has an unknown content encoding');
  try {
    return await decoder(body, { maxOutputLength, chunkSize: DECODING_CHUNK_BYTES });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? oversized() : badResponse('The upstream response could not be decompressed');
  }
}
