import { Logger } from '@nestjs/common';
import axios, { type AxiosInstance } from 'axios';
import { getEventListeners } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Pool } from 'undici';
import * as bodyFaults from '../../../../test/support/upstream/body-faults';
import * as connectionFaults from '../../../../test/support/upstream/connection-faults';
import type { Behaviour } from '../../../../test/support/upstream/exchange';
import { refusedUrl } from '../../../../test/support/upstream/refused-url';
import * as answers from '../../../../test/support/upstream/responses';
import { ScriptedUpstream } from '../../../../test/support/upstream/scripted-upstream';
import { Cancellation } from '../../../resilience/cancellation';
import type { AttemptFailure } from '../../../resilience/upstream-failure';
import { ConnectionState } from './connection-state';
import { createAxiosAdapter } from './http-service-calls';
import { createPool, UndiciTransport } from './undici-transport';

const LIMIT = 64 * 1024;
const RETRYABLE = { retryable: true, countsAgainstCircuit: true, deadConnection: false };
const BROKEN = { reason: 'bad-reply', ...RETRYABLE };
const OVERSIZED = { reason: 'bad-reply', ...RETRYABLE, retryable: false, countsAgainstCircuit: false };
const UNREACHABLE = { reason: 'upstream-unreachable', ...RETRYABLE };
const DEAD = { ...UNREACHABLE, deadConnection: true };

// Failed connections are logged.
Logger.overrideLogger(false);

const pools: Pool[] = [];

/** An axios instance over a pool of its own, set up as the gateway does as far as the adapter is concerned. With one
 * connection, because undici opens another where a request follows in the very turn of the last answer. */
function clientOf(url: string, basePath = '/', connections = 1): AxiosInstance {
  const limits = { connections, connectTimeoutMs: 4000, maxResponseBytes: LIMIT };
  const pool = createPool(url, limits);
  pools.push(pool);
  const adapter = createAxiosAdapter(new UndiciTransport(pool, basePath, limits, new ConnectionState()));
  return axios.create({ adapter, validateStatus: null, maxRedirects: 0, transformResponse: [] });
}

/** How a request failed. */
async function failureOf(answer: Promise<unknown>): Promise<AttemptFailure> {
  try {
    await answer;
  } catch (error) {
    expect(error).toMatchObject({ name: 'AttemptFailure' });
    return error as AttemptFailure;
  }
  throw new Error('The request did not fail');
}

/** These bytes, whatever they are. */
const raw = (text: string): Behaviour => ({ perform: (exchange) => exchange.write(text) });
const closing = (behaviour: Behaviour): Behaviour => ({
  perform: async (exchange) => {
    await behaviour.perform(exchange);
    exchange.close();
  },
});
const behindHints = (header: string, body: unknown): Behaviour => ({
  perform: async (exchange) => {
    await exchange.write(`HTTP/1.1 103 Early Hints\r\n${header}\r\n\r\n`);
    await answers.json(body).perform(exchange);
  },
});
const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

describe('UndiciTransport', () => {
  it('does not take a request that it aborts itself for a failed connection', async () => {
    const upstream = await ScriptedUpstream.start();
    upstream.respondWith(connectionFaults.neverResponds());
    const limits = { connections: 1, connectTimeoutMs: 4000, maxResponseBytes: LIMIT };
    const pool = createPool(upstream.url, limits);
    const connections = new ConnectionState();
    const cancellation = new Cancellation();
    const response = new UndiciTransport(pool, '/', limits, connections).get('/a', {}, cancellation);
    await upstream.waitForCalls(1);
    cancellation.cancel(new Error('the client disconnected'));
    await failureOf(response);
    await upstream.calls[0]?.outcome;
    await pool.destroy();
    await upstream.close();
    expect(connections.error).toBeUndefined();
  });
});

describe('UndiciTransport, as the adapter of axios', () => {
  let upstream: ScriptedUpstream;
  let client: AxiosInstance;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(() => upstream.close());
  beforeEach(() => {
    upstream.reset();
    client = clientOf(upstream.url);
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.destroy()));
    await upstream.until(() => upstream.openSockets() === 0);
  });

  describe('a sound answer', () => {
    const BODY = { Id: 'SHP-1', ShippingAddress: 'Göteborg 😀' };
    it.each<[string, Behaviour]>([
      ['with a length', answers.json(BODY)],
      ['in chunks', answers.chunked(BODY, [1, 2, 3])],
      ['up to the end of the connection', answers.http10(BODY)],
      ['gzipped', answers.gzip(BODY)],
      ['in Brotli', answers.brotli(BODY)],
      ['behind early hints', answers.earlyHints(BODY)],
      ['behind early hints with the length of something else', behindHints(`Content-Length: ${LIMIT + 1}`, BODY)],
    ])('%s arrives as text', async (_, behaviour) => {
      upstream.enqueue(behaviour);
      const { status, data } = await client.get<string>('/a');
      expect([status, JSON.parse(data)]).toEqual([200, BODY]);
    });

    const TEXT = JSON.stringify(BODY);
    it.each([
      ['gzip', gzipSync(TEXT)],
      ['GZIP', gzipSync(TEXT)],
      ['x-gzip', gzipSync(TEXT)],
      ['deflate', deflateSync(TEXT)],
      ['br', brotliCompressSync(TEXT)],
      ['identity', Buffer.from(TEXT)],
      ['IDENTITY', Buffer.from(TEXT)],
    ])('in the encoding %s is decoded', async (encoding, body) => {
      upstream.enqueue(answers.bytes(body, { 'Content-Encoding': encoding }));
      expect((await client.get<string>('/a')).data).toBe(TEXT);
    });

    it.each([204, 304, 404, 500, 503])('of status %d is none of its business', async (code) => {
      upstream.enqueue(answers.empty(code));
      expect(await client.get('/a')).toMatchObject({ status: code, data: '' });
    });

    it('D18 of a redirect is not followed', async () => {
      upstream.enqueue(answers.redirect(302, `${upstream.url}/elsewhere`));
      expect(await client.get('/a')).toMatchObject({ status: 302, headers: { location: `${upstream.url}/elsewhere` } });
      expect(upstream.calls).toHaveLength(1);
    });

    it('hands over headers', async () => {
      upstream.enqueue(answers.status(503, { retryAfter: 7 }));
      expect((await client.get('/a')).headers['retry-after']).toBe('7');
    });
  });

  describe('the request', () => {
    beforeEach(() => {
      upstream.respondWith(answers.json({}));
    });

    it.each([
      ['/', '/a/b', '/a/b'],
      ['/base', '/a?b=c', '/base/a?b=c'],
      ['/base/', '/a', '/base/a'],
      ['/base//', '/a', '/base/a'],
      ['/base/more/', '/a%2F..%2Fb?x=%20%2B', '/base/more/a%2F..%2Fb?x=%20%2B'],
      ['/', '/a/../b/./c', '/a/../b/./c'],
      ['/', '//evil.example/a', '//evil.example/a'],
    ])('D9 D16 below %s for %s is exactly %s', async (basePath, path, target) => {
      await clientOf(upstream.url, basePath).get(path);
      expect(upstream.calls.map((call) => [call.method, call.target])).toEqual([['GET', target]]);
      expect(upstream.calls[0]?.headers.host).toBe(new URL(upstream.url).host);
    });

    it('D16 is for the base alone where no path is given', async () => {
      await clientOf(upstream.url, '/base').request({});
      expect(upstream.calls[0]?.target).toBe('/base/');
    });

    it('D16 carries the headers it is given', async () => {
      await client.get('/a', { headers: { 'X-Request-Id': 'REQ-1', Accept: 'application/json' } });
      expect(upstream.calls[0]?.headers).toMatchObject({ 'x-request-id': 'REQ-1', accept: 'application/json' });
      expect(upstream.calls[0]?.headers).not.toHaveProperty('content-type');
    });

    it('reuses its connection', async () => {
      for (let round = 0; round < 3; round++) await client.get('/a');
      expect(new Set(upstream.calls.map((call) => call.socketId)).size).toBe(1);
      expect(upstream.openSockets()).toBe(1);
    });

    it('opens no more connections than the limit says', async () => {
      const limited = clientOf(upstream.url, '/', 2);
      await Promise.all(Array.from({ length: 8 }, () => limited.get('/a')));
      expect(upstream.calls).toHaveLength(8);
      expect(upstream.openSockets()).toBeLessThanOrEqual(2);
    });
  });

  describe('D18 D20 a fault of the wire', () => {
    it.each<[string, Behaviour, object]>([
      ['a reset before any answer', connectionFaults.resetsBeforeHeaders(), UNREACHABLE],
      ['a close before any answer', connectionFaults.closesBeforeHeaders(), UNREACHABLE],
      ['a reset behind the head', connectionFaults.resetsAfterHeaders(), BROKEN],
      ['a reset within the body', connectionFaults.resetsMidBody(), BROKEN],
      ['a close within the body', connectionFaults.closesEarly(), BROKEN],
      ['a close between chunks', connectionFaults.closesMidChunks(), BROKEN],
      ['bytes that are no HTTP', bodyFaults.garbageBytes(), BROKEN],
      ['a chunk size that is none', bodyFaults.badChunkSize(), BROKEN],
      ['a close within the head', closing(raw('HTTP/1.1 200 OK\r\nContent-Ty')), BROKEN],
      ['a close behind early hints', closing(raw('HTTP/1.1 103 Early Hints\r\n\r\n')), BROKEN],
      ['two lengths', raw(head('Content-Length: 2', 'Content-Length: 3') + '{}'), BROKEN],
      ['half of a gzip stream', bodyFaults.truncatedGzip(), BROKEN],
      ['gzip that is none', bodyFaults.garbageGzip(), BROKEN],
      ['an unknown encoding', answers.json({}, { headers: { 'Content-Encoding': 'zstd' } }), BROKEN],
      ['two encodings', answers.json({}, { headers: { 'Content-Encoding': 'gzip, br' } }), BROKEN],
      ['two lines of encodings', raw(head('Content-Encoding: gzip', 'Content-Encoding: br', 'Content-Length: 2') + '{}'), BROKEN], // prettier-ignore
      ['an announced length beyond the limit', bodyFaults.oversized(LIMIT + 1), OVERSIZED],
      ['a gzip bomb', bodyFaults.gzipBomb(LIMIT + 1), OVERSIZED],
      ['chunks beyond the limit', answers.chunked('x'.repeat(LIMIT), [LIMIT]), OVERSIZED],
      ['a body without end', connectionFaults.endlessBody(), OVERSIZED],
      ['headers beyond every measure', bodyFaults.hugeHeaders(), OVERSIZED],
    ])('%s has its reason, and the next request succeeds', async (_, behaviour, expected) => {
      upstream.enqueue(behaviour, answers.json({}));
      expect(await failureOf(client.get('/a'))).toMatchObject(expected);
      expect(await client.get('/b')).toMatchObject({ status: 200, data: '{}' });
      await upstream.until(() => upstream.openSockets() <= 1 && upstream.inFlight() === 0);
    });

    it.each<[string, Behaviour]>([
      ['with a length', bodyFaults.oversized(LIMIT)],
      ['in chunks', answers.chunked('x'.repeat(LIMIT - 2), [1000])],
      ['gzipped', bodyFaults.gzipBomb(LIMIT)],
    ])('is no body of exactly the limit, %s', async (_, behaviour) => {
      upstream.enqueue(behaviour);
      expect(Buffer.byteLength((await client.get<string>('/a')).data)).toBe(LIMIT);
    });

    it('is a refused connection', async () => {
      expect(await failureOf(clientOf(await refusedUrl()).get('/a'))).toMatchObject(UNREACHABLE);
    });

    it('is a pool that has been destroyed', async () => {
      await pools[0]?.destroy();
      expect(await failureOf(client.get('/a'))).toMatchObject(UNREACHABLE);
    });

    it('D15 tells no host, path, parameter or credential', async () => {
      upstream.respondWith(connectionFaults.resetsBeforeHeaders());
      const failure = await failureOf(client.get('/hidden?a=hidden', { headers: { Authorization: 'Bearer hidden' } }));
      const told = [failure.message, failure.stack, JSON.stringify(failure), String(failure.cause)].join();
      expect(told).not.toMatch(/hidden|127\.0\.0\.1/);
    });
  });

  describe('D18 a failed status decides, whatever comes of its body', () => {
    it.each<[string, Behaviour]>([
      ['that breaks off', closing(raw('HTTP/1.1 503 Busy\r\nContent-Length: 9\r\nRetry-After: 7\r\n\r\n{'))],
      [
        'of an unknown encoding',
        raw('HTTP/1.1 503 Busy\r\nContent-Encoding: zstd\r\nContent-Length: 2\r\nRetry-After: 7\r\n\r\n{}'),
      ],
      ['beyond the limit', raw(`HTTP/1.1 503 Busy\r\nContent-Length: ${LIMIT + 1}\r\nRetry-After: 7\r\n\r\n{`)],
    ])('%s', async (_, behaviour) => {
      upstream.enqueue(behaviour, answers.json({}));
      const { status, headers } = await client.get('/a');
      expect([status, headers['retry-after']]).toEqual([503, '7']);
      expect(await client.get('/b')).toMatchObject({ status: 200, data: '{}' });
    });
  });

  describe('D26 a kept-alive connection', () => {
    it.each(['reset', 'close'] as const)('that dies of a %s as it is reused is told as dead', async (death) => {
      upstream.enqueue(connectionFaults.closesKeepAliveAsReused({}, death), answers.json({}));
      await client.get('/a');
      expect(await failureOf(client.get('/b'))).toMatchObject(DEAD);
      expect(upstream.reusesRefused).toBe(1);
      expect((await client.get('/c')).status).toBe(200);
    });

    it('that breaks within an answer is not', async () => {
      upstream.enqueue(answers.json({}), connectionFaults.resetsMidBody());
      await client.get('/a');
      expect(await failureOf(client.get('/b'))).toMatchObject(BROKEN);
    });

    it('that was replaced by a new one, which dies at once, is not', async () => {
      upstream.enqueue(connectionFaults.closesKeepAliveAsReused({}), connectionFaults.resetsBeforeHeaders());
      await client.get('/a');
      await failureOf(client.get('/b'));
      expect(await failureOf(client.get('/c'))).toMatchObject(UNREACHABLE);
    });

    it('closed after its answer is not used again', async () => {
      upstream.respondWith(connectionFaults.closesAfterAnswer({}));
      for (let round = 0; round < 3; round++) {
        await client.get('/a');
        await upstream.until(() => upstream.openSockets() === 0);
      }
      expect(upstream.reusesRefused).toBe(0);
    });

    it('with a second answer nobody asked for does not answer the next request', async () => {
      upstream.enqueue(bodyFaults.answersTwice({ Id: 'A' }), answers.json({ Id: 'B' }));
      expect((await client.get<string>('/a')).data).toBe('{"Id":"A"}');
      const second = await client.get<string>('/b').then(({ data }) => data, () => 'failed'); // prettier-ignore
      expect(['{"Id":"B"}', 'failed']).toContain(second);
    });
  });

  describe('a signal', () => {
    it.each<[string, Behaviour]>([
      ['waits for an answer', connectionFaults.neverResponds()],
      ['waits for a body', connectionFaults.stallsAfterHeaders()],
      ['waits within a body', connectionFaults.stallsMidBody()],
      ['is dripped a body', connectionFaults.drips(undefined, 1)],
      ['is dripped a head', connectionFaults.dripsHeaders(1)],
      ['is sent hints without end', connectionFaults.endlessInformational(1)],
    ])('ends a request that %s, and its connection at once', async (_, behaviour) => {
      upstream.enqueue(behaviour);
      const controller = new AbortController();
      const ended = expect(client.get('/a', { signal: controller.signal })).rejects.toThrow();
      await upstream.waitForCalls(1);
      controller.abort();
      await ended;
      expect(await upstream.calls[0]?.outcome).toBe('aborted');
      // undici may open another connection in advance; it carries nothing.
      expect([upstream.inFlight(), upstream.calls.length]).toEqual([0, 1]);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('ends a request that waits for a connection, which is then never sent', async () => {
      const narrow = clientOf(upstream.url);
      const [first, second] = [new AbortController(), new AbortController()];
      upstream.enqueue(connectionFaults.neverResponds(), answers.json({}));
      const holding = expect(narrow.get('/first', { signal: first.signal })).rejects.toThrow();
      await upstream.waitForCalls(1);
      const waiting = expect(narrow.get('/second', { signal: second.signal })).rejects.toThrow();
      await Promise.resolve();
      second.abort();
      await waiting;
      first.abort();
      await holding;
      await narrow.get('/third');
      expect(upstream.calls.map((call) => call.path)).toEqual(['/first', '/third']);
    });

    it('keeps no listener, whatever the outcome', async () => {
      const { signal } = new AbortController();
      upstream.enqueue(answers.json({}), connectionFaults.resetsBeforeHeaders(), bodyFaults.oversized(LIMIT + 1));
      await client.get('/a', { signal });
      await failureOf(client.get('/b', { signal }));
      await failureOf(client.get('/c', { signal }));
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('changes nothing once the answer is there', async () => {
      upstream.respondWith(answers.json({}));
      const controller = new AbortController();
      await client.get('/a', { signal: controller.signal });
      controller.abort();
      await client.get('/b');
      expect(new Set(upstream.calls.map((call) => call.socketId)).size).toBe(1);
    });

    it('aborted beforehand keeps a request from being sent', async () => {
      await expect(client.get('/a', { signal: AbortSignal.abort() })).rejects.toThrow();
      upstream.respondWith(answers.json({}));
      await client.get('/b');
      expect(upstream.calls.map((call) => call.path)).toEqual(['/b']);
    });
  });
});
