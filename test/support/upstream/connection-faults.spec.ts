import { once } from 'node:events';
import { connect } from 'node:net';
import { json } from './responses';
import {
  closesAfterAnswer,
  closesBeforeHeaders,
  closesEarly,
  closesKeepAliveAsReused,
  closesMidChunks,
  drips,
  dripsHeaders,
  endlessBody,
  endlessInformational,
  neverResponds,
  resetsAfterHeaders,
  resetsBeforeHeaders,
  resetsMidBody,
  stallsAfterHeaders,
  stallsMidBody,
} from './connection-faults';
import type { Behaviour } from './exchange';
import { ScriptedUpstream } from './scripted-upstream';
import { WireClient } from './wire-client';

const BODY = { letters: 'abcdefgh' };
const TEXT = JSON.stringify(BODY);
const HALF = TEXT.slice(0, 11);

describe('faults of the connection', () => {
  let upstream: ScriptedUpstream;
  let client: WireClient;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });

  afterEach(() => {
    client.leave();
    upstream.reset();
  });

  afterAll(() => upstream.close());

  function call(behaviour: Behaviour): WireClient {
    upstream.respondWith(behaviour);
    client = WireClient.to(upstream.url).get();
    return client;
  }

  async function isWaitedOut(): Promise<void> {
    await upstream.waitForCalls(1);
    expect(upstream.calls[0]?.settled).toBe(false);
    client.leave();
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
  }

  it('neverResponds: silence', async () => {
    call(neverResponds());
    await isWaitedOut();
    expect(client.received).toHaveLength(0);
  });

  it('stallsAfterHeaders: a length, and silence', async () => {
    const received = await call(stallsAfterHeaders(BODY)).receives((text) => text.endsWith('\r\n\r\n'));
    expect(received).toContain(`Content-Length: ${TEXT.length}\r\n`);
    await isWaitedOut();
  });

  it('stallsMidBody: half of the body, and silence', async () => {
    const received = await call(stallsMidBody(BODY)).receives((text) => text.endsWith(HALF));
    expect(received).toContain(`Content-Length: ${TEXT.length}\r\n`);
    await isWaitedOut();
  });

  it('drips: a pause before each byte', async () => {
    await call(drips(BODY, 3_600_000)).receives((text) => text.endsWith('\r\n\r\n'));
    await isWaitedOut();
  });

  it('drips: the whole body in the end', async () => {
    await call(drips(BODY, 1)).receives((text) => text.endsWith(TEXT));
  });

  it('dripsHeaders: header lines without end', async () => {
    const received = await call(dripsHeaders(2)).receives((text) => text.includes('X-Line-3: '));
    expect(received).not.toContain('\r\n\r\n');
    await isWaitedOut();
  });

  it('endlessInformational: no answer but hints', async () => {
    const hints = (text: string): number => text.split('HTTP/1.1 103 Early Hints\r\n\r\n').length - 1;
    await call(endlessInformational(1)).receives((text) => hints(text) > 2);
    await isWaitedOut();
  });

  it('resetsBeforeHeaders: a reset and nothing else', async () => {
    expect(await call(resetsBeforeHeaders()).ending).toBe('ECONNRESET');
    expect(client.received).toHaveLength(0);
  });

  it('closesBeforeHeaders: an orderly end and nothing else', async () => {
    expect(await call(closesBeforeHeaders()).ending).toBe('FIN');
    expect(client.received).toHaveLength(0);
  });

  it.each([
    ['resetsAfterHeaders', resetsAfterHeaders(BODY), '', 'ECONNRESET'],
    ['resetsMidBody', resetsMidBody(BODY), HALF, 'ECONNRESET'],
    ['closesEarly', closesEarly(BODY), HALF, 'FIN'],
  ])('%s: the whole length, not the whole body', async (_, behaviour, expected, expectedEnding) => {
    const { head, body, ending } = await call(behaviour).response();
    expect(head).toContain(`Content-Length: ${TEXT.length}`);
    expect([body.toString(), ending]).toEqual([expected, expectedEnding]);
  });

  it('closesMidChunks: no last chunk', async () => {
    const { head, body, ending } = await call(closesMidChunks(BODY)).response();
    expect(head).toContain('Transfer-Encoding: chunked');
    expect([body.toString(), ending]).toEqual([`b\r\n${HALF}\r\n`, 'FIN']);
  });

  it.each([
    ['reset', 'ECONNRESET'],
    ['close', 'FIN'],
  ] as const)('closesKeepAliveAsReused: a good answer, then a %s on reuse', async (death, expectedEnding) => {
    upstream.enqueue(closesKeepAliveAsReused(BODY, death));
    const received = await call(json('next')).receives((text) => text.endsWith(TEXT));
    expect(received).toContain('Connection: keep-alive\r\n');
    expect(upstream.openSockets()).toBe(1);
    expect(await client.get('/again').ending).toBe(expectedEnding);
    expect(client.received.toString()).toBe(received);
    expect([upstream.reusesRefused, upstream.calls.length]).toEqual([1, 1]);
    const fresh = WireClient.to(upstream.url).get('/again', { Connection: 'close' });
    expect((await fresh.response()).body.toString()).toBe('"next"');
    expect(upstream.calls).toHaveLength(2);
  });

  it('closesAfterAnswer: a good answer and a broken promise', async () => {
    const { head, body, ending } = await call(closesAfterAnswer(BODY)).response();
    expect(head).toContain('Connection: keep-alive');
    expect([body.toString(), ending]).toEqual([TEXT, 'FIN']);
  });

  it('closesAfterAnswer: overlooks a request that crosses the end of the connection', async () => {
    upstream.respondWith(closesAfterAnswer(BODY));
    const crossing = connect({ port: upstream.port, host: '127.0.0.1', allowHalfOpen: true });
    crossing.write('GET / HTTP/1.1\r\n\r\n');
    await once(crossing.resume(), 'end');
    crossing.write('GET / HTTP/1.1\r\n\r\n');
    await upstream.until(() => upstream.reusesRefused === 1);
    expect(upstream.calls).toHaveLength(1);
    crossing.destroy();
  });

  it('endlessBody: more and more', async () => {
    await call(endlessBody()).receives((text) => text.length > 5_000_000);
    await isWaitedOut();
  });
});
