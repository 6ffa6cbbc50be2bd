import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { HttpResponse } from './support/http-client';
import { DETAILS, eventually, LISTS, type Operation, OPERATIONS, PAGED, STRICT } from './support/operations';
import { useScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';
import { anyReply, detailsReply, wireItem, wireRecord, wireRecords } from './support/upstream/records';
import { WireClient } from './support/upstream/wire-client';

/** What a client may say, and the coding it then gets for a body that is worth it. */
const NEGOTIATIONS: readonly (readonly [accepted: string, coding: string | undefined])[] = [
  ['', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.2, gzip;q=0.8', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0, br;q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['gzip, *;q=0.5', 'gzip'],
  ['gzip;q=0, br;q=0, *', undefined],
  ['*;q=0, gzip', 'gzip'],
  ['identity;q=0, *;q=0', undefined],
  ['gzip;q=nonsense', undefined],
  [`${'x'.repeat(8000)}, gzip`, 'gzip'],
];

/** Sound for all operations, and each body is some kilobytes. */
const LARGE = largeReply({});
/** The same with a field of the wrong type in each record. */
const ODD = largeReply({ TotalWeight: 'heavy' });

function largeReply(overrides: Record<string, unknown>): unknown {
  const items = Array.from({ length: 20 }, (_, index) => wireItem({ Id: `ITM-${index}` }));
  const records = wireRecords(20).map((record) => ({ ...record, ...overrides }));
  return anyReply({ ...wireRecord({ ShippingItems: items, ...overrides }), Items: records, ShippingDetails: records });
}

function decoded({ headers, bytes }: HttpResponse): string {
  switch (headers['content-encoding']) {
    case 'br':
      return brotliDecompressSync(bytes).toString();
    case 'gzip':
      return gunzipSync(bytes).toString();
    default:
      return bytes.toString();
  }
}

/** The names in `Vary`, in lower case. */
function varies({ headers }: HttpResponse): string[] {
  return String(headers.vary).toLowerCase().split(/\s*,\s*/).sort(); // prettier-ignore
}

/** All that has to be the same from answer to answer. */
function withoutOwn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const own = ['x-request-id', 'date', 'content-length', 'content-encoding', 'transfer-encoding'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}

/** Text that nothing makes much smaller. */
function noise(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}

describe('content compression', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  beforeEach(() => {
    scripted.upstream.respondWith(json(LARGE));
  });

  const ask = (request: string, accepted?: string, more: Record<string, string> = {}, method = 'GET') =>
    scripted.service.get(request.startsWith('/') ? request : `/api/Shipping/${request}`, {
      method,
      headers: { ...(accepted !== undefined && { 'Accept-Encoding': accepted }), ...more },
    });

  const SOME_NEGOTIATIONS = NEGOTIATIONS.filter(([accepted]) => ['', 'gzip', 'br'].includes(accepted));
  const answers = [
    ['complete', DETAILS.name, DETAILS, LARGE, NEGOTIATIONS] as const,
    ...OPERATIONS.filter((operation) => operation !== DETAILS).map(
      (operation) => ['complete', operation.name, operation, LARGE, SOME_NEGOTIATIONS] as const,
    ),
    ['partial', DETAILS.name, DETAILS, ODD, SOME_NEGOTIATIONS] as const,
  ];

  describe.each(answers)('of a %s response of %s', (level, _, operation, reply, negotiations) => {
    it.each(negotiations)(
      'gives to Accept-Encoding: %.40s the coding %s, on GET and HEAD',
      async (accepted, coding) => {
        scripted.upstream.respondWith(json(reply));
        const plain = await ask(operation.request);
        expect([plain.status, plain.headers['shipping-completeness']]).toEqual([200, expect.stringContaining(level)]);
        expect(plain.headers['content-encoding']).toBeUndefined();
        const got = await ask(operation.request, accepted);
        expect([got.status, got.headers['content-encoding']]).toEqual([200, coding]);
        expect(decoded(got)).toBe(plain.body);
        expect(got.headers['content-length']).toBe(String(got.bytes.length));
        if (coding !== undefined) expect(got.bytes.length).toBeLessThan(plain.bytes.length / 2);
        expect(withoutOwn(got.headers)).toEqual(withoutOwn(plain.headers));

        const head = await ask(operation.request, accepted, {}, 'HEAD');
        expect([head.status, head.bytes.length]).toEqual([200, 0]);
        for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) {
          expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
        }
        expect(withoutOwn(head.headers)).toEqual(withoutOwn(got.headers));
      },
    );
  });

  it.each(OPERATIONS)('D24 $name: all codings have one ETag, and each gets 304', async (operation) => {
    const tag = (await ask(operation.request)).headers.etag;
    expect(tag).toMatch(/^W\/"/);
    for (const accepted of ['gzip', 'br', 'identity']) {
      expect((await ask(operation.request, accepted)).headers.etag).toBe(tag);
      for (const method of ['GET', 'HEAD']) {
        const unchanged = await ask(operation.request, accepted, { 'If-None-Match': String(tag) }, method);
        expect([unchanged.status, unchanged.bytes.length, unchanged.headers.etag]).toEqual([304, 0, tag]);
        for (const name of ['content-encoding', 'content-length', 'content-type', 'transfer-encoding']) {
          expect([name, unchanged.headers[name]]).toEqual([name, undefined]);
        }
        expect(varies(unchanged)).toEqual(['accept-encoding', 'prefer']);
        expect(unchanged.headers['cache-control']).toBe('private, no-cache');
        expect(unchanged.headers['shipping-completeness']).toBe('complete');
      }
    }
  });

  it.each(LISTS)('$name: an unavailable response is below the threshold', async (operation) => {
    scripted.upstream.respondWith(status(500));
    const { status: code, headers } = await ask(operation.request, 'gzip, br');
    expect([code, headers['content-encoding']]).toEqual([200, undefined]);
    expect(headers['shipping-completeness']).toBe('unavailable;reason=upstream-error');
  });

  const borders: [string, number, string | undefined][] = [
    ['below', -1, undefined],
    ['at', 0, 'gzip'],
  ];
  it.each(borders)('a body %s 1 KiB (%i) is given the coding %s', async (_, offset, coding) => {
    const bodyWith = async (length: number): Promise<HttpResponse> => {
      const record = wireRecord({ ShippingAddress: 'x'.repeat(length) });
      scripted.upstream.respondWith(json(detailsReply([record])));
      return ask(DETAILS.request, 'gzip');
    };
    const overhead = (await bodyWith(0)).bytes.length;
    const got = await bodyWith(1024 - overhead + offset);
    expect([decoded(got).length, got.headers['content-encoding']]).toEqual([1024 + offset, coding]);
  });

  const ADDRESS = 'x'.repeat(2000);
  it.each([['more than 1 MiB', 600]])('a body of %s is compressed, too (%i records)', async (_, count) => {
    const records = wireRecords(count).map((record) => ({ ...record, ShippingAddress: ADDRESS }));
    scripted.upstream.respondWith(json(detailsReply(records)));
    const plain = await ask(DETAILS.request);
    for (const coding of ['gzip', 'br']) {
      const got = await ask(DETAILS.request, coding);
      expect(decoded(got)).toBe(plain.body);
      expect([got.headers.etag, varies(got)]).toEqual([plain.headers.etag, ['accept-encoding', 'prefer']]);
      const head = await ask(DETAILS.request, coding, {}, 'HEAD');
      expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, plain.headers.etag]);
      for (const { headers } of [got, head]) {
        expect([headers['content-encoding'], headers['content-length']]).toEqual([coding, String(got.bytes.length)]);
      }
      const unchanged = await ask(DETAILS.request, coding, { 'If-None-Match': String(plain.headers.etag) });
      expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    }
  });

  describe('of errors', () => {
    const unknown = Array.from({ length: 20 }, (_, index) => `unknown${'y'.repeat(50)}${index}=1`).join('&');

    it.each(OPERATIONS)('D15 $name: a large problem stays one', async (operation: Operation) => {
      const request = `${operation.request}${operation.request.includes('?') ? '&' : '?'}${unknown}`;
      const plain = await ask(request, undefined, { ...STRICT, 'X-Request-Id': 'REQ-1' });
      for (const coding of ['gzip', 'br']) {
        const got = await ask(request, coding, { ...STRICT, 'X-Request-Id': 'REQ-1' });
        expect([got.status, got.headers['content-encoding']]).toEqual([400, coding]);
        expect(got.headers['content-type']).toMatch(/^application\/problem\+json/);
        expect(decoded(got)).toBe(plain.body);
        expect([got.headers['cache-control'], got.headers.etag]).toEqual(['no-store', undefined]);
      }
    });

    it.each([
      ['a plain message', 400, `${PAGED.request.split('?')[0] ?? ''}?PageNumber=0`, ['accept']],
      ['a small problem', 400, 'GetShippingDetails?Limit=0'],
      ['no route', 404, 'Nowhere'],
      ['a path that cannot be decoded', 400, 'GetShippingInfoById/%zz'],
    ])('%s (%i) is sent as it is', async (_, code, request, others: string[] = []) => {
      const got = await ask(request, 'gzip, br');
      expect([got.status, got.headers['content-encoding']]).toEqual([code, undefined]);
      expect(varies(got)).toEqual([...others, 'accept-encoding', 'prefer']);
    });

    it.each(['*;q=0'])('D15 nothing fails by Accept-Encoding: %s', async (accepted) => {
      scripted.upstream.respondWith(status(404));
      expect((await ask('GetShippingInfoById/SHP-1', accepted)).status).toBe(404);
      expect((await ask('/docs', accepted)).status).toBe(200);
      expect((await ask('/', accepted)).status).toBe(302);
    });
  });

  describe('of what is not an operation', () => {
    const texts = ['/openapi.json', '/openapi.yaml', '/docs'];
    it.each(texts)('%s is compressed, and the same when decoded', async (path) => {
      const plain = await ask(path);
      for (const coding of ['gzip', 'br']) {
        const got = await ask(path, coding);
        expect([got.status, got.headers['content-encoding']]).toEqual([200, coding]);
        expect(decoded(got)).toBe(plain.body);
        expect(varies(got)).toEqual(['accept-encoding', 'prefer']);
        const head = await ask(path, coding, {}, 'HEAD');
        expect([head.status, head.bytes.length]).toEqual([200, 0]);
        expect(head.headers['content-type']).toBe(plain.headers['content-type']);
      }
    });

    it('metrics are compressed', async () => {
      const got = await ask('/metrics', 'gzip');
      expect(got.headers['content-encoding']).toBe('gzip');
      expect(decoded(got)).toMatch(/^# HELP /m);
    });
  });

  describe('of more than a mebibyte', () => {
    /** Noise, so that the compressed body is larger than what sockets take in. */
    const records = wireRecords(200).map((record) => ({ ...record, ShippingAddress: noise(7_000) }));
    const CODINGS = ['gzip', 'br'] as const;

    it.each(CODINGS)('%s: clients that disconnect during a response do not affect others', async (coding) => {
      scripted.upstream.respondWith(json(detailsReply(records)));
      const before = scripted.service.requestLog.length;
      for (let left = 0; left < 5; left += 1) {
        const client = WireClient.to(scripted.service.url);
        client.get(`/api/Shipping/GetShippingDetails?Limit=${left + 1000}`, { 'Accept-Encoding': coding });
        await client.receives((text) => text.includes('\r\n\r\n'));
        client.leave();
      }
      await eventually(() => scripted.service.requestLog.length === before + 5);
      scripted.upstream.respondWith(json(LARGE));
      expect((await ask(DETAILS.request, coding)).headers['content-encoding']).toBe(coding);
    });
  });
});
