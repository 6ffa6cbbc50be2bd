import { eventually } from '../../../testing/upstream/eventually';
import { wireBody, wireBodyOf, wireRecord } from '../../../testing/upstream/records';
import { held, html, json, status } from '../../../testing/upstream/responses';
import { cacheStatusOf, expectProblem, expectResponse } from '../../support/expected';
import { decoded } from '../../support/http-client';
import { BY_ID, DETAILS, OPERATIONS, PAGED, STRICT } from '../../support/operations';
import { type HttpResponse, ONCE, useScriptedService, useStart } from '../../support/service';
import { useMovedDate } from '../../support/wall-clock';

const TTL_MS = 60_000;
const STALE_MS = 600_000;
const TTL = { ...ONCE, CACHE_TTL_MS: String(TTL_MS) };
const BOTH = { ...TTL, CACHE_STALE_IF_ERROR_MS: String(STALE_MS) };

const start = useStart();
const pass = useMovedDate();

describe('the cache of this process', () => {
  const scripted = useScriptedService(BOTH);
  // What another test has stored is of no use any more.
  beforeEach(() => {
    pass(TTL_MS + STALE_MS);
  });

  const ask = (request: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    scripted.service.request(request, headers);
  const calls = (): number => scripted.upstream.calls.length;

  it.each(OPERATIONS)('D75 $name: the second request is a hit, with the same bytes', async ({ request }) => {
    scripted.upstream.respondWith(json(wireBody(wireRecord({ ShippingAddress: 'ł'.repeat(1000) }))));
    const first = await ask(request);
    expectResponse(first, 'complete');
    expect([cacheStatusOf(first), first.headers.age]).toEqual(['fwd=miss', undefined]);
    pass(10_500);
    for (const coding of ['br', 'gzip', 'gzip', 'identity']) {
      const hit = await ask(request, { 'Accept-Encoding': coding });
      expectResponse({ ...hit, body: first.body }, 'complete');
      expect([coding, decoded(hit), cacheStatusOf(hit)]).toEqual([coding, first.body, 'hit']);
      const { etag, link } = first.headers;
      const age: unknown = expect.stringMatching(/^1\d$/);
      expect(hit.headers).toMatchObject({ etag, age, 'content-length': String(hit.bytes.length) });
      expect(hit.headers.link).toBe(link);
    }
    expect(calls()).toBe(1);
  });

  it('equivalent requests share an entry', async () => {
    scripted.upstream.respondWith(json(wireBodyOf(wireRecord({ Status: 'delivered' }))));
    await ask('GetShippingPagedList?PageNumber=1&PageSize=10&Status=Delivered');
    await ask('getshippingpagedlist/?status=DELIVERED&pagesize=010&sortby=createddate');
    const other = { 'X-Request-Id': 'other', 'Cache-Control': 'no-cache' };
    await ask('GetShippingPagedList?Status=%20delivered%20&SortDirection=down&Unknown=1', other);
    await ask('GetShippingPagedList?SortBy=CreatedDate&Status=Delivered', { ...STRICT, 'Cache-Control': 'no-store' });
    expect(calls()).toBe(1);
  });

  it('D75 a call goes on for others that share it after a disconnect', async () => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const isLeft = (): number => scripted.service.requestLog.filter((line) => line.status === 499).length;
    const before = isLeft();
    const leave = scripted.service.leaving(DETAILS.request);
    await scripted.upstream.waitForCalls(1);
    const staying = ask(DETAILS.request);
    await scripted.service.untilActive(2);
    await leave();
    await eventually('the line of a client that left', isLeft, before + 1);
    release();
    expectResponse(await staying, 'complete');
    expect(cacheStatusOf(await ask(DETAILS.request))).toBe('hit');
    expect(calls()).toBe(1);
  });

  it('metrics contain no request values', async () => {
    const counted = (result: string): Promise<number> =>
      scripted.service.metric(`shipping_cache_requests_total{operation="details",result="${result}"}`);
    const [misses, hits] = [await counted('miss'), await counted('hit')];
    for (let time = 0; time < 2; time += 1) await ask('GetShippingDetails?SearchTerm=hidden');
    expect([await counted('miss'), await counted('hit')]).toEqual([misses + 1, hits + 1]);
    const { body } = await scripted.service.get('/metrics');
    expect(body + scripted.service.log.join('')).not.toContain('hidden');
  });

  it.each(OPERATIONS)('D20 D21 D23 $name is served stale', async (operation) => {
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
});

it('D75 CACHE_MAX_BYTES bounds what is stored', async () => {
  const { service, upstream } = await start({ ...TTL, CACHE_MAX_BYTES: '100' });
  for (const call of [1, 2]) {
    await service.request(DETAILS.request);
    expect(upstream.calls).toHaveLength(call);
  }
});

it('without a cache no trace of one', async () => {
  const { service, upstream } = await start(ONCE);
  for (const { request } of [...OPERATIONS, ...OPERATIONS]) {
    const { headers } = await service.request(request);
    expect([headers['cache-status'], headers.age]).toEqual([undefined, undefined]);
  }
  expect(upstream.calls).toHaveLength(2 * OPERATIONS.length);
  expect((await service.get('/metrics')).body).not.toContain('shipping_cache_requests_total{');
});

it.each([
  ['stale', undefined],
  ['withdrawn, with headers of the client', 'X-Tenant-Id'],
])('D75 after a 403 that is a web page a result is %s', async (level, names) => {
  const { service, upstream } = await start({ ...BOTH, ...(names !== undefined && { FORWARD_HEADERS: names }) });
  await service.request(BY_ID.request);
  pass(TTL_MS);
  upstream.respondWith(html(403));
  const response = await service.request(BY_ID.request);
  if (level === 'stale') expectResponse(response, 'stale;reason=upstream-error');
  else expectProblem(response, 500, 'external-system-failed');
});
