import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { errors, Pool, type Dispatcher } from 'undici';
import { badReply, isSuccess, oversized, timedOut, unreachable } from './failures';
import type { AttemptFailure } from './policy/attempt-failure';
import type { Cancellation } from './policy/cancellation';
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

/** Keep-alive connections to one origin: no redirects, no proxies, no time-outs but those of the caller's signal. */
export function createPool(origin: string, limits: PoolLimits): Pool {
  return new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: limits.connectTimeoutMs },
    factory: (url, options) => new TrackedClient(url, options),
  });
}

/** Those that are `undefined` are not sent. */
export type RequestHeaders = Record<string, string | undefined>;

/** A whole reply, its body without content encoding. */
export interface WholeReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Carries `GET` requests over a pool, of the base path and the request's own as they stand. */
export class UndiciTransport {
  private readonly prefix: string;

  constructor(
    private readonly pool: Pool,
    basePath: string,
    private readonly limits: PoolLimits,
  ) {
    this.prefix = basePath.replace(/\/+$/, '');
  }

  /**
   * @param abandonment ends the request and its connection at once; its one listener is the request while that lasts
   * @throws {AttemptFailure} for everything that is no whole answer: no connection, a broken, oversized or undecodable body
   */
  get(path: string, headers: RequestHeaders, abandonment: Cancellation): Promise<WholeReply> {
    return new Exchange(this.pool, abandonment, this.limits.maxResponseBytes).run(this.prefix + path, headers);
  }
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  private connection?: Connection;
  private answersBefore = 0;
  private receivedBefore = 0;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private controller?: Dispatcher.DispatchController;
  private settled = false;
  private resolve: (reply: WholeReply | Promise<WholeReply>) => void;
  private reject: (failure: AttemptFailure) => void;

  constructor(
    private readonly pool: Pool,
    private readonly abandonment: Cancellation,
    private readonly maxBytes: number,
  ) {}

  run(path: string, headers: RequestHeaders): Promise<WholeReply> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      if (this.abandonment.reason !== undefined) {
        reject(timedOut());
        return;
      }
      this.abandonment.listen(this.onAbandoned);
      const options: TrackedOptions = { method: 'GET', path, headers, carriedBy: this.carriedBy };
      this.pool.dispatch(options, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.answersBefore = this.connection?.answers ?? 0;
    this.receivedBefore = this.connection?.received ?? 0;
    if (this.settled) controller.abort(new Error('abandoned'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
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
    if (this.connection !== undefined) this.connection.answers += 1;
    const [only] = this.chunks;
    this.answer(this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.failBody(this.describe(error));
  }

  private readonly carriedBy = (connection: Connection): void => {
    this.connection = connection;
  };

  private readonly onAbandoned = (): void => {
    this.fail(timedOut());
  };

  private answer(body: Buffer): void {
    if (!this.settle()) return;
    const { status, headers } = this;
    const encoding = headers['content-encoding'];
    if (encoding === undefined) this.resolve({ status, headers, body });
    else this.resolve(this.decode(body, encoding));
  }

  private async decode(encoded: Buffer, encoding: string | string[]): Promise<WholeReply> {
    const { status, headers } = this;
    const decoded = decode(encoded, encoding, this.maxBytes);
    // What a failed reply says beside its status is for interceptors only.
    const body = isSuccess(status) ? await decoded : await decoded.catch(() => NOTHING);
    return { status, headers, body };
  }

  /** The body broke off or is too long; of a failed reply the status says all there is to know. */
  private failBody(failure: AttemptFailure): void {
    if (this.status === 0 || isSuccess(this.status)) {
      this.fail(failure);
    } else {
      this.answer(NOTHING);
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
    this.abandonment.listen(undefined);
    return true;
  }

  private describe(error: Error): AttemptFailure {
    if (error instanceof errors.HeadersOverflowError) return oversized();
    const began = this.status !== 0 || (this.connection?.received ?? 0) > this.receivedBefore;
    if (began || error instanceof errors.HTTPParserError) return badReply('The reply broke off');
    return unreachable(this.answersBefore > 0);
  }
}

async function decode(body: Buffer, header: string | string[], maxOutputLength: number): Promise<Buffer> {
  const encoding = String(header).trim().toLowerCase();
  if (encoding === 'identity' || body.length === 0) return body;
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw badReply('The reply has an unknown content encoding');
  try {
    return await decoder(body, { maxOutputLength, chunkSize: DECODING_CHUNK_BYTES });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? oversized() : badReply('The reply could not be decompressed');
  }
}
