import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { PlainSignal } from '../../../resilience/deadline';
import { type ReceivedResponse, ResponseHandler, type TransportSignal } from './response-handler';

const LARGE = Buffer.alloc(300_000, 'x');
/** Random bytes, so that it is large when compressed, too. */
const COMPRESSED = gzipSync(randomBytes(LARGE.length));

/** A response whose body is being received. */
class Reception {
  readonly attempt = new AbortController();
  readonly signal = this.attempt.signal as TransportSignal;
  readonly paused: boolean[] = [];
  readonly body: Promise<ReceivedResponse['body']>;
  private handler!: ResponseHandler;
  private readonly controller = {
    pause: () => this.paused.push(true),
    resume: () => this.paused.push(false),
    abort: (error: Error) => {
      this.handler.onResponseError(undefined, error);
    },
  } as unknown as Dispatcher.DispatchController;

  constructor(headers: IncomingHttpHeaders = {}) {
    this.body = new Promise<ReceivedResponse>((resolve, reject) => {
      this.handler = new ResponseHandler(5_000_000, this.signal, (result) => {
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    }).then(({ body }) => body);
    this.body.catch(() => undefined);
    this.handler.onRequestStart(this.controller);
    this.handler.onResponseStart(this.controller, 200, headers);
  }

  receive(chunk: Buffer): void {
    this.handler.onResponseData(this.controller, chunk);
  }

  end(): void {
    this.handler.onResponseEnd();
  }

  fail(): void {
    this.handler.onResponseError(undefined, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  }

  get isRead(): boolean {
    return this.paused.at(-1) !== true;
  }
}

/** Lets the turns that are free be taken. */
const settled = (): Promise<unknown> => new Promise(setImmediate);

describe('D59 eight large bodies are read at a time', () => {
  let receptions: Reception[];
  beforeEach(async () => {
    receptions = Array.from({ length: 10 }, () => new Reception());
    for (const each of receptions) each.receive(LARGE);
    await settled();
  });
  afterEach(async () => {
    for (const each of receptions) each.end();
    await settled();
  });
  const readNow = (): boolean[] => receptions.map(({ isRead }) => isRead);
  const READ_FIRST_EIGHT = [...Array<boolean>(8).fill(true), false, false];

  it('the others wait, and are whole in the end', async () => {
    expect(readNow()).toEqual(READ_FIRST_EIGHT);
    expect(receptions.map(({ signal }) => signal.waitsFor).slice(7)).toEqual(['rest', 'reading', 'reading']);
    receptions[0]?.end();
    await settled();
    expect(readNow()).toEqual([...READ_FIRST_EIGHT.slice(0, 8), true, false]);
    for (const each of receptions.slice(1)) {
      await settled();
      each.receive(LARGE);
      each.end();
      expect(await each.body).toHaveLength(2 * LARGE.length);
    }
  });

  it('and one that arrived whole keeps its place until it is decoded', async () => {
    for (const each of receptions) each.end();
    await settled();
    receptions = Array.from({ length: 10 }, () => new Reception({ 'content-encoding': 'gzip' }));
    for (const each of receptions) each.receive(COMPRESSED);
    await settled();
    const [first, second] = receptions;
    first?.end();
    // Its turn would pass on in microtasks; decoding takes a thread.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(readNow()).toEqual(READ_FIRST_EIGHT);
    expect(await first?.body).toHaveLength(LARGE.length);
    await settled();
    expect(readNow()).toEqual([...READ_FIRST_EIGHT.slice(0, 8), true, false]);
    // Given up while it waits for a decoder, or is in one, it frees its place as well.
    second?.end();
    second?.attempt.abort(new Error('too late'));
    await second?.body;
    await settled();
    expect(receptions[9]?.isRead).toBe(true);
    for (const each of receptions.slice(2)) each.end();
    await Promise.all(receptions.map(({ body }) => body));
    receptions = [];
  });

  it('one that is given up while it waits takes no place', async () => {
    receptions[8]?.attempt.abort(new Error('too late'));
    receptions[0]?.end();
    await settled();
    await settled();
    expect(receptions[9]?.isRead).toBe(true);
  });

  it('a small one never waits', () => {
    const small = new Reception();
    small.receive(Buffer.alloc(100_000));
    small.receive(Buffer.alloc(100_000));
    expect(small.paused).toEqual([]);
    small.end();
  });

  it('D81 a request that failed while it waited leaves the state of the next one alone', async () => {
    const [first, waiting] = [receptions[0], receptions[9]];
    waiting?.fail();
    if (waiting !== undefined) waiting.signal.waitsFor = 'access token';
    first?.end();
    receptions[8]?.end();
    await settled();
    expect(waiting?.signal.waitsFor).toBe('access token');
  });
});

it('D78 a request whose attempt has ended while it waited for a connection is not sent', () => {
  const signal = new PlainSignal();
  const handler = new ResponseHandler(100, signal, jest.fn());
  signal.abort(new Error('over'));
  const abort = jest.fn();
  handler.onRequestStart({ abort } as unknown as Dispatcher.DispatchController);
  expect(abort).toHaveBeenCalledTimes(1);
});
