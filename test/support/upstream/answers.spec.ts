import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  brotli,
  chunked,
  delayed,
  earlyHints,
  empty,
  gzip,
  html,
  http10,
  json,
  jsonText,
  redirect,
  status,
  text,
} from './answers';
import type { Behaviour } from './exchange';
import { anyReply } from './records';
import { ScriptedUpstream } from './scripted-upstream';
import { WireClient } from './wire-client';

describe('sound answers', () => {
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });

  afterAll(() => upstream.close());

  async function answerOf(
    behaviour: Behaviour,
    headers: Record<string, string> = { Connection: 'close' },
  ): Promise<{ head: string; body: string; raw: Buffer }> {
    upstream.respondWith(behaviour);
    const { head, body, ending } = await WireClient.to(upstream.url).get('/', headers).response();
    expect(ending).toBe('FIN');
    return { head, body: body.toString(), raw: body };
  }

  it('json: status, type, length, further headers', async () => {
    expect(await answerOf(json({ Id: 'é' }, { status: 201, headers: { 'X-More': 'yes' } }))).toMatchObject({
      head: [
        'HTTP/1.1 201 Created',
        'Connection: close',
        'Content-Type: application/json; charset=utf-8',
        'X-More: yes',
        'Content-Length: 11',
      ].join('\r\n'),
      body: '{"Id":"é"}',
    });
  });

  it('json: keeps the connection open unless the client asks otherwise', async () => {
    upstream.respondWith(json({}));
    const client = WireClient.to(upstream.url).get();
    expect(await client.receives((received) => received.endsWith('{}'))).toContain('Connection: keep-alive');
    expect(upstream.openSockets()).toBe(1);
    client.leave();
  });

  it.each([
    ['text', text('Hi', { status: 418 }), "HTTP/1.1 418 I'm a Teapot", 'text/plain; charset=utf-8', 'Hi'],
    ['text of a type', text('<a/>', { contentType: 'text/xml' }), 'HTTP/1.1 200 OK', 'text/xml', '<a/>'],
    ['jsonText', jsonText('{ }'), 'HTTP/1.1 200 OK', 'application/json; charset=utf-8', '{ }'],
  ])('%s', async (_, behaviour, statusLine, type, expected) => {
    const { head, body } = await answerOf(behaviour);
    expect(head.split('\r\n')[0]).toBe(statusLine);
    expect(head).toContain(`Content-Type: ${type}\r\n`);
    expect(body).toBe(expected);
  });

  it('html: a page that is no JSON', async () => {
    const { head, body } = await answerOf(html(502));
    expect(head).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[^]*Content-Type: text\/html/);
    expect(body).toMatch(/^<!doctype html>/);
  });

  it('empty: no body, and no length where the standard forbids one', async () => {
    const noContent = await answerOf(empty(204));
    expect([noContent.head, noContent.body]).toEqual(['HTTP/1.1 204 No Content\r\nConnection: close', '']);
    const ok = await answerOf(empty(200));
    expect([ok.head, ok.body]).toEqual(['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0', '']);
  });

  it('status: with and without Retry-After', async () => {
    const plain = await answerOf(status(500));
    expect(plain.head).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(plain.head).not.toContain('Retry-After');
    expect((await answerOf(status(503, { retryAfter: 7 }))).head).toContain('Retry-After: 7\r\n');
    const date = 'Sun, 06 Nov 2033 08:49:37 GMT';
    expect((await answerOf(status(429, { retryAfter: date }))).head).toContain(`Retry-After: ${date}\r\n`);
  });

  it('redirect: to a location', async () => {
    const { head } = await answerOf(redirect(307, 'http://elsewhere.example/x'));
    expect(head).toMatch(/^HTTP\/1\.1 307 Temporary Redirect\r\n[^]*Location: http:\/\/elsewhere\.example\/x/);
  });

  it.each([
    ['gzip', gzip({ a: 1 }), 'gzip', gunzipSync],
    ['brotli', brotli({ a: 1 }), 'br', brotliDecompressSync],
  ])('%s: compressed', async (_, behaviour, encoding, decode) => {
    const { head, raw } = await answerOf(behaviour);
    expect(head).toContain(`Content-Encoding: ${encoding}\r\n`);
    expect(decode(raw).toString()).toBe('{"a":1}');
  });

  it('chunked: in the sizes given, the last one repeated', async () => {
    const { head, body } = await answerOf(chunked('abcdefgh', [1, 4]));
    expect(head).toContain('Transfer-Encoding: chunked');
    expect(head).not.toContain('Content-Length');
    expect(body).toBe('1\r\n"\r\n4\r\nabcd\r\n4\r\nefgh\r\n1\r\n"\r\n0\r\n\r\n');
  });

  it('chunked and empty: leave the connection open for the next call', async () => {
    upstream.respondWith(chunked([], [2]));
    const client = WireClient.to(upstream.url).get();
    await client.receives((received) => received.endsWith('0\r\n\r\n'));
    upstream.respondWith(empty(204));
    await client.get().receives((received) => received.includes('204 No Content'));
    client.leave();
  });

  it('http10: no length, the end of the connection ends the body', async () => {
    const { head, body } = await answerOf(http10({ a: 1 }), {});
    expect(head).toBe('HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=utf-8');
    expect(body).toBe('{"a":1}');
  });

  it('earlyHints: 103 before the answer', async () => {
    const { head, body } = await answerOf(earlyHints({ a: 1 }));
    expect(head).toMatch(/^HTTP\/1\.1 103 Early Hints\r\n/);
    expect(body).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"a":1\}$/);
  });

  it('delayed: not before its time', async () => {
    const before = performance.now();
    await answerOf(delayed(60, json()));
    // Timers may fire up to a millisecond early.
    expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  });

  it('delayed: is given up with its client', async () => {
    upstream.reset();
    upstream.respondWith(delayed(60_000, json()));
    const client = WireClient.to(upstream.url).get();
    await upstream.waitForCalls(1);
    client.leave();
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
  });

  it('speaks to clients of HTTP/1.0 too', async () => {
    upstream.respondWith(json());
    const { body, ending } = await WireClient.to(upstream.url).send('GET / HTTP/1.0\r\n\r\n').response();
    expect([JSON.parse(body.toString()), ending]).toEqual([anyReply(), 'FIN']);
  });
});
