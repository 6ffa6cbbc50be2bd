import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { plainReply } from '../../../test/support/plain-reply';
import { thrownBy } from '../../../test/support/units';
import { RequestMetrics } from '../requests/request-log';
import { SharedBody } from '../shared-body';
import { acceptsGzip, compress } from './compression';

it.each([
  ['gzip', true],
  ['br', false],
  ['*', true],
  ['gzip;q=0, *', false],
  ['*;q=0, GZIP', true],
  ['x-gzip', true],
  ['identity', false],
  ['', false],
  [undefined, false],
  // Reading a long list takes time, and no client needs one.
  ['gzip'.padEnd(256, ','), true],
  ['gzip'.padEnd(257, ','), false],
])('D79 Accept-Encoding %j: %p', (header, accepts) => {
  expect(acceptsGzip(header)).toBe(accepts);
});

describe('D79 a response', () => {
  const metrics = new RequestMetrics(new Registry());
  const LONG = 'x'.repeat(1025);
  const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
  /** A server that has room for a body until `ended` is called, or none. */
  const serverWith = (ended?: () => void) => ({ server: { prepare: () => ended } });
  const replyOf = (before: Record<string, string> = JSON_TYPE, given: object = {}, request: object = {}) => {
    return plainReply({ before, ...given, request: { headers: { 'accept-encoding': 'gzip' }, ...request } });
  };

  it.each([LONG, Buffer.from(LONG), '\u00e9'.repeat(513)])(
    'of more than 1024 bytes is compressed: %#',
    async (body) => {
      const { reply, headers } = replyOf({ ...JSON_TYPE, 'Content-Length': '1025' });
      const sent = await compress(reply, body, 0, metrics);
      expect(gunzipSync(sent as Buffer).toString()).toBe(String(body));
      expect(headers()).toEqual({ ...JSON_TYPE, 'Content-Encoding': 'gzip' });
    },
  );

  const ofType = (type: string) => replyOf({ 'Content-Type': type });
  it.each<[what: string, given: ReturnType<typeof replyOf>, body: unknown]>([
    ['that is short', replyOf(), 'x'.repeat(1024)],
    ['that is no text', replyOf(), { a: LONG }],
    ['to a client that accepts none', replyOf(JSON_TYPE, {}, { headers: {} }), LONG],
    ['that is coded already', replyOf({ ...JSON_TYPE, 'Content-Encoding': 'br' }), LONG],
    ['that is a part', replyOf({ ...JSON_TYPE, 'Content-Range': 'bytes 0-1024/2000' }), LONG],
    ['with 206', replyOf(JSON_TYPE, { statusCode: 206 }), LONG],
    ['of a page, which is compressed elsewhere', replyOf(JSON_TYPE, { config: { purpose: 'docs' } }), LONG],
    ['without a type', replyOf({}), LONG],
    ...['image/png', 'text/event-stream', 'application/octet-stream', 'application/jsonx'].map(
      (type) => [`of ${type}`, ofType(type), LONG] as [string, ReturnType<typeof replyOf>, unknown],
    ),
  ])('%s is sent as it is', (_, { reply, headers }, body) => {
    const before = headers();
    expect([compress(reply, body, 0, metrics), headers()]).toEqual([body, before]);
  });

  it.each(['text/plain', 'text/csv', 'application/problem+json', 'image/svg+xml', 'application/xml; charset=utf-8'])(
    'of %s is compressed',
    (type) => {
      const { reply, headers } = ofType(type);
      compress(reply, LONG, 0, metrics);
      expect(headers()['Content-Encoding']).toBe('gzip');
    },
  );

  it('that is a stream is compressed as it comes', async () => {
    const sent = compress(replyOf().reply, Readable.from(['a', 'b']), 0, metrics) as Readable;
    expect(gunzipSync(await buffer(sent)).toString()).toBe('ab');
  });

  it('that is ready is compressed once for all', () => {
    const ready = new SharedBody(LONG);
    const sent = [1, 2].map(() => {
      const { reply, record } = replyOf();
      record.ready = ready;
      return compress(reply, LONG, 0, metrics);
    });
    for (const coding of sent) expect(coding).toBe(ready.encoded);
  });

  it('D59 that waits for a compressor counts as held until it has one, and is shed where there is no room', async () => {
    const large = 'x'.repeat(65_536);
    const ended = jest.fn();
    const waiting = replyOf(JSON_TYPE, {}, { server: serverWith(ended) });
    const sent = compress(waiting.reply, large, 0, metrics);
    expect([ended.mock.calls, waiting.headers()]).toEqual([[], JSON_TYPE]);
    expect(gunzipSync((await sent) as Buffer).toString()).toBe(large);
    expect([ended.mock.calls.length, waiting.headers()['Content-Encoding']]).toEqual([1, 'gzip']);
    const full = replyOf(JSON_TYPE, {}, { server: serverWith() });
    const refusal = thrownBy(() => compress(full.reply, large, 0, metrics));
    expect(refusal).toMatchObject({ definition: { status: 503, code: 'overloaded', retryAfterMs: 1000 } });
    expect(full.headers()).toEqual({ ...JSON_TYPE, 'shipping-overload': 'unsent-bytes' });
  });
});
