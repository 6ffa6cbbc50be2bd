import { badJson } from '../../../testing/upstream/body-faults';
import { eventually } from '../../../testing/upstream/eventually';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { wireBody, wireBodyOf, wireRecord } from '../../../testing/upstream/records';
import { empty, held, html, json, status, text } from '../../../testing/upstream/responses';
import { cacheStatusOf, expectProblem, expectResponse } from '../../support/expected';
import { decoded } from '../../support/http-client';
import { BY_ID, DETAILS, OPERATIONS, PAGED, STRICT } from '../../support/operations';
import { type HttpResponse, type ScriptedService, useStart } from '../../support/service';
import { useMovedDate } from '../../support/wall-clock';

const TTL_MS = 60_000;
const STALE_MS = 600_000;

/** What a response from the cache has in common with the first one. */
const sameOf = ({ body, headers: { etag, link } }: HttpResponse): unknown[] => [body, etag, link];

describe('the cache of this process', () => {
  let scripted: ScriptedService;
  const pass = useMovedDate();

  const ask = (request: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    scripted.service.request(request, headers);
  const calls = (): number => scripted.upstream.calls.length;

  const startService = useStart({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  async function start(env: Record<string, string> = {}): Promise<void> {
    scripted = await startService(env);
  }

  describe('CACHE_TTL_MS', () => {
    beforeEach(() => start({ CACHE_TTL_MS: String(TTL_MS) }));

    it.each(OPERATIONS)('$name: the second request is a hit', async (operation) => {
      const first = await ask(operation.request);
      expectResponse(first, 'complete');
      expect([cacheStatusOf(first), first.headers.age]).toEqual(['fwd=miss', undefined]);
      pass(10_500);
      const second = await ask(operation.request);
      expectResponse(second, 'complete');
      expect(cacheStatusOf(second)).toBe('hit');
      expect(second.headers.age).toMatch(/^1\d$/);
      expect(sameOf(second)).toEqual(sameOf(first));
      expect(calls()).toBe(1);
    });

    it.each(OPERATIONS)('D75 $name: hits have the same bytes', async ({ request }) => {
      scripted.upstream.respondWith(json(wireBody(wireRecord({ ShippingAddress: 'ł'.repeat(1000) }))));
      const first = await ask(request);
      for (const coding of ['br', 'gzip', 'gzip', 'identity']) {
        const hit = await ask(request, { 'Accept-Encoding': coding });
        expectResponse({ ...hit, body: first.body }, 'complete');
        expect([coding, decoded(hit), cacheStatusOf(hit)]).toEqual([coding, first.body, 'hit']);
        expect(hit.headers).toMatchObject({ etag: first.headers.etag, 'content-length': String(hit.bytes.length) });
      }
      expect(calls()).toBe(1);
    });

    it('D24 a hit supports If-None-Match and HEAD', async () => {
      const { headers } = await ask(PAGED.request);
      const unchanged = await ask(PAGED.request, { 'If-None-Match': String(headers.etag) });
      expect([unchanged.status, unchanged.body, cacheStatusOf(unchanged)]).toEqual([304, '', 'hit']);
      const head = await scripted.service.get(`/api/Shipping/${PAGED.request}`, { method: 'HEAD' });
      expect([head.status, head.body, head.headers.etag]).toEqual([200, '', headers.etag]);
      expect(calls()).toBe(1);
    });

    it('equivalent requests share an entry', async () => {
      scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ Status: 'delivered' }))));
      await ask('GetShippingPagedList?PageNumber=1&PageSize=10&Status=Delivered');
      await ask('getshippingpagedlist/?status=DELIVERED&pagesize=010&sortby=createddate');
      const other = { 'X-Request-Id': 'other' };
      await ask('GetShippingPagedList?Status=%20delivered%20&SortDirection=down&Unknown=1', other);
      await ask('GetShippingPagedList?SortBy=CreatedDate&Status=Delivered', STRICT);
      expect(calls()).toBe(1);
    });

    it('different requests do not share an entry', async () => {
      const different = ['Limit=1', 'Limit=2', 'OrderId=a', 'OrderId=A', 'SearchTerm=a', 'SearchTerm=a%26Limit%3D1'];
      for (const query of different) {
        expect(cacheStatusOf(await ask(`GetShippingDetails?${query}`))).toBe('fwd=miss');
      }
      expect(calls()).toBe(different.length);
    });

    it('20 concurrent misses make one external call', async () => {
      const { behaviour, release } = held();
      scripted.upstream.respondWith(behaviour);
      const asked = Array.from({ length: 20 }, () => ask(PAGED.request));
      await scripted.service.untilActive(20);
      release();
      const responses = await Promise.all(asked);
      expect(new Set(responses.map(cacheStatusOf))).toEqual(new Set(['fwd=miss']));
      expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
      expect(calls()).toBe(1);
    });

    it.each(['and others share it', 'nobody is left'])('D75 a call goes on after a disconnect: %s', async (rest) => {
      const { behaviour, release } = held();
      scripted.upstream.respondWith(behaviour);
      const leave = scripted.service.leaving(DETAILS.request);
      await scripted.upstream.waitForCalls(1);
      const staying = rest.startsWith('and') ? ask(DETAILS.request) : undefined;
      if (staying !== undefined) await scripted.service.untilActive(2);
      await leave();
      await eventually('the line of a client that left', () =>
        scripted.service.requestLog.some((line) => line.status === 499),
      );
      release();
      if (staying !== undefined) expectResponse(await staying, 'complete');
      await eventually('the status of the cache', async () => cacheStatusOf(await ask(DETAILS.request)), 'hit');
      expect(calls()).toBe(1);
    });

    it('D75 Cache-Control of a client is ignored', async () => {
      for (const directive of ['no-store', 'no-cache', 'max-age=0']) {
        await ask(DETAILS.request, { 'Cache-Control': directive });
      }
      expect(calls()).toBe(1);
    });

    it('metrics contain no request values', async () => {
      await ask('GetShippingDetails?SearchTerm=hidden');
      await ask('GetShippingDetails?SearchTerm=hidden');
      const { body } = await scripted.service.get('/metrics');
      for (const result of ['miss', 'hit']) {
        expect(body).toContain(`shipping_cache_requests_total{operation="details",result="${result}"} 1`);
      }
      expect(body + scripted.service.log.join('')).not.toContain('hidden');
    });
  });

  it('D75 CACHE_MAX_BYTES bounds what is stored', async () => {
    await start({ CACHE_TTL_MS: String(TTL_MS), CACHE_MAX_BYTES: '100' });
    for (const call of [1, 2]) {
      await ask(DETAILS.request);
      expect(calls()).toBe(call);
    }
  });

  it('operations with the same upstream path share no entries', async () => {
    const paths = { EXTERNAL_SHIPPING_SINGLE_PATH: '/one', EXTERNAL_SHIPPING_DETAILS_PATH: '/one' };
    await start({ CACHE_TTL_MS: String(TTL_MS), ...paths });
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const asked = [ask('GetShippingDetails?OrderId=A'), ask('GetShippingSingle?OrderId=A')] as const;
    await scripted.upstream.waitForCalls(2);
    release();
    const [details, single] = await Promise.all(asked);
    expectResponse(details, 'complete');
    expectResponse(single, 'complete');
    expectResponse(await ask('GetShippingDetails?OrderId=A'), 'complete');
    expectResponse(await ask('GetShippingSingle?OrderId=A'), 'complete');
    expect(calls()).toBe(2);
  });

  it.each(OPERATIONS)('$name: without a cache no trace of one', async (operation) => {
    await start();
    for (const call of [1, 2]) {
      const { headers } = await ask(operation.request);
      expect([headers['cache-status'], headers.age, calls()]).toEqual([undefined, undefined, call]);
    }
    expect((await scripted.service.get('/metrics')).body).not.toContain('shipping_cache_requests_total{');
  });

  describe('D20 CACHE_STALE_IF_ERROR_MS', () => {
    const BOTH = { CACHE_TTL_MS: String(TTL_MS), CACHE_STALE_IF_ERROR_MS: String(STALE_MS) };

    it.each(OPERATIONS)('D20 D21 D23 $name is served stale', async (operation) => {
      await start(BOTH);
      const paging = { TotalCount: 60, TotalPages: 9, HasNextPage: true };
      scripted.upstream.respondWith(json(wireBody({ ...wireRecord(), ...paging })));
      const good = await ask(operation.request);
      pass(TTL_MS + 5000);
      scripted.upstream.respondWith(status(500));
      for (const headers of [{}, STRICT]) {
        const stale = await ask(operation.request, headers);
        expectResponse(stale, 'stale;reason=upstream-error');
        expect([stale.body, stale.headers.link]).toEqual([good.body, good.headers.link]);
        expect(typeof stale.headers.link).toBe(operation === PAGED ? 'string' : 'undefined');
        expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(65);
        expect(cacheStatusOf(stale)).toBe('fwd=stale');
      }
      expect((await ask(operation.request, STRICT)).headers['preference-applied']).toBe('handling=strict');
    });

    it.each([
      { name: '500', sent: status(500), reason: 'upstream-error' },
      { name: '408', sent: status(408), reason: 'upstream-error' },
      { name: '429', sent: status(429), reason: 'upstream-error' },
      { name: 'invalid JSON', sent: badJson(), reason: 'bad-reply' },
      { name: 'a 404 that is a web page', sent: html(404), reason: 'upstream-error' },
      { name: 'a 403 that is a web page', sent: html(403), reason: 'upstream-error' },
      { name: 'a 403 that asks for a pause', sent: status(403, { retryAfter: 30 }), reason: 'upstream-error' },
      { name: 'a 404 for a list', sent: status(404), reason: 'upstream-error', request: DETAILS.request },
      { name: 'a 404 for a page', sent: empty(404), reason: 'upstream-error', request: PAGED.request },
    ])('D75 after $name a stale result', async ({ sent, reason, request = BY_ID.request }) => {
      await start(BOTH);
      await ask(request);
      pass(TTL_MS);
      scripted.upstream.respondWith(sent);
      expectResponse(await ask(request), `stale;reason=${reason}`);
      scripted.upstream.respondWith(badJson());
      expect((await ask(request)).headers['shipping-completeness']).toMatch(/^stale;/);
    });

    const FORWARDING = { FORWARD_HEADERS: 'X-Tenant-Id' };
    it.each<[string, Behaviour, Record<string, string>]>([
      ...[400, 401, 403, 410].map((code) => [String(code), status(code), {}] as [string, Behaviour, object]),
      ['a 403 in words', text('Your credential is <b>revoked</b>.', { status: 403 }), {}],
      ['a 403 without a body', empty(403), {}],
      ['a 403 that is a web page, with headers of the client', html(403), FORWARDING],
      ['a 401 that is a web page', html(401), {}],
    ])('D75 after %s none', async (_, sent, settings) => {
      await start({ ...BOTH, ...settings });
      await ask(BY_ID.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(sent);
      expectProblem(await ask(BY_ID.request), 500, 'external-system-failed');
    });

    it('D20 is never 304', async () => {
      await start(BOTH);
      const { headers } = await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(badJson());
      const stale = await ask(DETAILS.request, { 'If-None-Match': String(headers.etag) });
      expectResponse(stale, 'stale;reason=bad-reply');
    });
  });
});
