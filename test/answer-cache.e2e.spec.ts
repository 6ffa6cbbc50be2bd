import { expectAnswer, expectProblem, expectUnavailable } from './support/expectations';
import type { HttpAnswer } from './support/http-client';
import { BY_ID, DETAILS, eventually, LISTS, OPERATIONS, PAGED, SINGLE, SINGLES, STRICT } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { delayed, json, jsonText, status } from './support/upstream/answers';
import { neverAnswers, resetsBeforeHeaders } from './support/upstream/connection-faults';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, pagedReply, wireRecord } from './support/upstream/records';

const TTL_MS = 60_000;
const STALE_MS = 600_000;
const NO_CACHE = { 'Cache-Control': 'no-cache' };

/** The parameters of the one member of `Cache-Status`. */
const statusOf = ({ headers }: HttpAnswer): string =>
  String(headers['cache-status']).replace(/^shipping-query-service; /, '');

/** A reply for every operation that is told from {@link anyReply} by its weight. */
const weighing = (weight: unknown): Behaviour => {
  const record = wireRecord({ TotalWeight: weight });
  return json(anyReply({ ...record, Items: [record], ShippingDetails: [record] }));
};

describe('the cache of this process', () => {
  let scripted: ScriptedService;
  let passed = 0;

  const ask = (request: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    scripted.service.ask(request, headers);
  const calls = (): number => scripted.upstream.calls.length;
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };

  beforeAll(() => {
    const clock = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => clock() + passed);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    scripted = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', ...env });
    scripted.upstream.respondWith(json());
  }
  afterEach(() => scripted.close());

  describe('CACHE_TTL_MS', () => {
    beforeEach(() => start({ CACHE_TTL_MS: String(TTL_MS) }));

    it.each(OPERATIONS)('$name: a second request is a hit, and the same answer', async (operation) => {
      const first = await ask(operation.request);
      expectAnswer(operation, first, 'complete');
      expect([statusOf(first), first.headers.age]).toEqual(['fwd=miss; stored', undefined]);
      pass(10_500);
      const second = await ask(operation.request);
      expectAnswer(operation, second, 'complete');
      expect(statusOf(second)).toMatch(/^hit; ttl=4\d$/);
      expect(second.headers.age).toMatch(/^1\d$/);
      expect([second.body, second.headers.etag, second.headers.link]).toEqual([first.body, first.headers.etag, first.headers.link]); // prettier-ignore
      expect(calls()).toBe(1);
    });

    it('D24 a hit answers If-None-Match and HEAD as ever', async () => {
      const { headers } = await ask(PAGED.request);
      const unchanged = await ask(PAGED.request, { 'If-None-Match': String(headers.etag) });
      expect([unchanged.status, unchanged.body, statusOf(unchanged)]).toEqual([
        304,
        '',
        expect.stringMatching(/^hit;/),
      ]);
      const head = await scripted.service.get(`/api/Shipping/${PAGED.request}`, { method: 'HEAD' });
      expect([head.status, head.body, head.headers.etag]).toEqual([200, '', headers.etag]);
      expect(calls()).toBe(1);
    });

    it('requests that mean the same share an entry, however they are spelled', async () => {
      await ask('GetShippingPagedList?PageNumber=1&PageSize=10&Status=Delivered');
      await ask('getshippingpagedlist/?status=DELIVERED&pagesize=010&sortby=createddate');
      await ask('GetShippingPagedList?Status=%20delivered%20&SortDirection=down&Unknown=1', {
        'X-Request-Id': 'other',
      });
      await ask('GetShippingPagedList?SortBy=CreatedDate&Status=Delivered', STRICT);
      expect(calls()).toBe(1);
    });

    it('requests that differ in anything do not', async () => {
      const different = ['Limit=1', 'Limit=2', 'OrderId=a', 'OrderId=A', 'SearchTerm=a', 'SearchTerm=a%26Limit%3D1'];
      for (const query of different) {
        expect(statusOf(await ask(`GetShippingDetails?${query}`))).toBe('fwd=miss; stored');
      }
      expect(calls()).toBe(different.length);
    });

    it('D20 an entry past its time is fetched anew', async () => {
      await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(weighing(99));
      const anew = await ask(DETAILS.request);
      expect([statusOf(anew), anew.headers.age]).toEqual(['fwd=miss; stored', undefined]);
      expect(anew.body).toContain('99');
      expect((await ask(DETAILS.request)).body).toBe(anew.body);
      expect(calls()).toBe(2);
    });

    it('an entry from the future is not believed, so that a clock set back costs freshness no time', async () => {
      await ask(DETAILS.request);
      pass(-TTL_MS);
      expect(statusOf(await ask(DETAILS.request))).toBe('fwd=miss; stored');
    });

    it.each(OPERATIONS)('D20 $name: a partial answer is not kept', async (operation) => {
      scripted.upstream.respondWith(weighing('heavy'));
      for (const call of [1, 2]) {
        const answer = await ask(operation.request);
        expectAnswer(operation, answer, 'partial;reason=bad-reply');
        expect([statusOf(answer), calls()]).toEqual(['fwd=miss', call]);
      }
    });

    it.each(SINGLES)('$name: that nothing matches is not kept', async (operation) => {
      scripted.upstream.respondWith(status(404));
      for (const call of [1, 2]) {
        const answer = await ask(operation.request);
        expectProblem(answer, 404, 'shipping-not-found');
        expect([statusOf(answer), calls()]).toEqual(['fwd=miss', call]);
      }
    });

    it('D20 failures are not kept, and without CACHE_STALE_IF_ERROR_MS nothing is stale', async () => {
      await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(500));
      expectUnavailable(DETAILS, await ask(DETAILS.request), 'upstream-error');
      expectProblem(await ask(DETAILS.request, STRICT), 502, 'external-system-failed');
      expectProblem(await ask(BY_ID.request), 500, 'external-system-failed');
      expect(calls()).toBe(4);
    });

    it('20 concurrent misses make one external call', async () => {
      scripted.upstream.respondWith(delayed(300));
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(PAGED.request)));
      expect(answers.map(statusOf).sort()).toEqual(['fwd=miss; stored', ...Array<string>(19).fill('fwd=miss; stored; collapsed')]); // prettier-ignore
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      expect(calls()).toBe(1);
    });

    it('a client that leaves takes nothing from those who share its call, nor from the cache', async () => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      scripted.upstream.respondWith(async () => released.then(() => json()));
      const controller = new AbortController();
      const leaving = scripted.service.get(`/api/Shipping/${DETAILS.request}`, { signal: controller.signal });
      const left = expect(leaving).rejects.toThrow();
      await scripted.upstream.waitForCalls(1);
      const staying = ask(DETAILS.request);
      const joined = 'external_shipping_policy_events_total{event="shared"} 1';
      while (!(await scripted.service.get('/metrics')).body.includes(joined));
      controller.abort();
      await left;
      await eventually(() => scripted.service.requestLog.some((line) => line.status === 499));
      release();
      expectAnswer(DETAILS, await staying, 'complete');
      expect(statusOf(await ask(DETAILS.request))).toMatch(/^hit;/);
      expect(calls()).toBe(1);
    });

    it('RFC 9111 no-cache wants a new answer, which the others then get too', async () => {
      await ask(DETAILS.request);
      scripted.upstream.respondWith(weighing(99));
      const anew = await ask(DETAILS.request, NO_CACHE);
      expect([statusOf(anew), calls()]).toEqual(['fwd=request; stored', 2]);
      expect((await ask(DETAILS.request)).body).toBe(anew.body);
    });

    it('RFC 9111 max-age bounds the age of what is given again', async () => {
      await ask(DETAILS.request);
      pass(10_000);
      expect(statusOf(await ask(DETAILS.request, { 'Cache-Control': 'max-age=20' }))).toMatch(/^hit;/);
      expect(statusOf(await ask(DETAILS.request, { 'Cache-Control': 'max-age=5' }))).toBe('fwd=request; stored');
    });

    it('RFC 9111 no-store keeps the answer from the cache', async () => {
      expect(statusOf(await ask(DETAILS.request, { 'Cache-Control': 'no-store' }))).toBe('fwd=miss');
      expect(statusOf(await ask(DETAILS.request))).toBe('fwd=miss; stored');
    });

    it('what a request costs others is counted without what it asked for', async () => {
      await ask('GetShippingDetails?SearchTerm=hidden');
      await ask('GetShippingDetails?SearchTerm=hidden');
      const { body } = await scripted.service.get('/metrics');
      expect(body).toContain('shipping_cache_requests_total{operation="details",result="miss"} 1');
      expect(body).toContain('shipping_cache_requests_total{operation="details",result="hit"} 1');
      expect(body + scripted.service.log.join('')).not.toContain('hidden');
    });
  });

  it('CACHE_MAX_ENTRIES the one not used for the longest time gives way', async () => {
    await start({ CACHE_TTL_MS: String(TTL_MS), CACHE_MAX_ENTRIES: '2' });
    for (const limit of [1, 2, 1, 3]) await ask(`GetShippingDetails?Limit=${limit}`);
    expect(statusOf(await ask('GetShippingDetails?Limit=1'))).toMatch(/^hit;/);
    expect(statusOf(await ask('GetShippingDetails?Limit=2'))).toBe('fwd=miss; stored');
  });

  it('CACHE_MAX_BYTES an answer beyond the bound is given, not kept', async () => {
    await start({ CACHE_TTL_MS: String(TTL_MS), CACHE_MAX_BYTES: '100' });
    for (const call of [1, 2]) {
      const answer = await ask(DETAILS.request);
      expectAnswer(DETAILS, answer, 'complete');
      expect([statusOf(answer), calls()]).toEqual(['fwd=miss', call]);
    }
  });

  it('operations that go to the same path keep their answers apart', async () => {
    await start({ CACHE_TTL_MS: String(TTL_MS), EXTERNAL_SHIPPING_SINGLE_PATH: '/one', EXTERNAL_SHIPPING_DETAILS_PATH: '/one' }); // prettier-ignore
    scripted.upstream.respondWith(delayed(100));
    const [details, single] = await Promise.all([
      ask('GetShippingDetails?OrderId=A'),
      ask('GetShippingSingle?OrderId=A'),
    ]);
    expectAnswer(DETAILS, details, 'complete');
    expectAnswer(SINGLE, single, 'complete');
    expectAnswer(DETAILS, await ask('GetShippingDetails?OrderId=A'), 'complete');
    expectAnswer(SINGLE, await ask('GetShippingSingle?OrderId=A'), 'complete');
    expect(calls()).toBe(2);
  });

  it('the deadline of a call holds', async () => {
    await start({ CACHE_TTL_MS: String(TTL_MS), EXTERNAL_SHIPPING_TIMEOUT_MS: '300' });
    scripted.upstream.respondWith(neverAnswers());
    expectUnavailable(PAGED, await ask(PAGED.request), 'upstream-timeout');
  });

  it.each(OPERATIONS)('$name: without a cache there is no trace of one', async (operation) => {
    await start();
    for (const call of [1, 2]) {
      const { headers } = await ask(operation.request);
      expect([headers['cache-status'], headers.age, calls()]).toEqual([undefined, undefined, call]);
    }
    expect((await scripted.service.get('/metrics')).body).not.toContain('shipping_cache_requests_total{');
  });

  describe('D20 CACHE_STALE_IF_ERROR_MS', () => {
    const BOTH = { CACHE_TTL_MS: String(TTL_MS), CACHE_STALE_IF_ERROR_MS: String(STALE_MS) };

    it.each(OPERATIONS)('D20 D21 $name: the last good answer stands in, strict callers included', async (operation) => {
      await start(BOTH);
      const good = await ask(operation.request);
      pass(TTL_MS + 5000);
      scripted.upstream.respondWith(status(500));
      for (const headers of [{}, STRICT]) {
        const stale = await ask(operation.request, headers);
        expectAnswer(operation, stale, 'stale;reason=upstream-error');
        expect([stale.body, stale.headers.link]).toEqual([good.body, good.headers.link]);
        expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(65);
        expect(statusOf(stale)).toMatch(/^fwd=stale; ttl=-\d+; detail=stale-if-error$/);
      }
      expect((await ask(operation.request, STRICT)).headers['preference-applied']).toBe('handling=strict');
    });

    const faults: [reason: string, fault: Behaviour, env?: Record<string, string>][] = [
      ['upstream-timeout', neverAnswers(), { EXTERNAL_SHIPPING_TIMEOUT_MS: '200' }],
      ['upstream-unreachable', resetsBeforeHeaders()],
      ['upstream-error', status(503)],
      ['bad-reply', jsonText('{"Items":')],
    ];
    it.each(faults)('D20 tells the reason %s', async (reason, fault, env = {}) => {
      await start({ ...BOTH, ...env });
      await ask(PAGED.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(fault);
      expectAnswer(PAGED, await ask(PAGED.request), `stale;reason=${reason}`);
    });

    it('D20 tells the reason circuit-open, without having forwarded anything', async () => {
      await start(BOTH);
      await ask(PAGED.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(500));
      for (let failures = 0; failures < 25; failures += 1) await ask(`GetShippingDetails?Limit=${failures + 1}`);
      const stale = await ask(PAGED.request);
      expectAnswer(PAGED, stale, 'stale;reason=circuit-open');
      expect(statusOf(stale)).toMatch(/^hit; ttl=-\d+; detail=stale-if-error$/);
    });

    it('D23 links the pages of a stale answer by its own figures', async () => {
      await start(BOTH);
      const flags = {
        PageNumber: 3,
        PageSize: 7,
        TotalPages: 9,
        TotalCount: 60,
        HasPreviousPage: true,
        HasNextPage: true,
      };
      scripted.upstream.respondWith(json(pagedReply([wireRecord()], flags)));
      await ask(PAGED.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(500));
      const { headers } = await ask(PAGED.request);
      expect(String(headers.link).match(/rel="\w+"/g)).toEqual([
        'rel="first"',
        'rel="last"',
        'rel="prev"',
        'rel="next"',
      ]);
    });

    it('D20 is never 304', async () => {
      await start(BOTH);
      const { headers } = await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(500));
      const stale = await ask(DETAILS.request, { 'If-None-Match': String(headers.etag) });
      expectAnswer(DETAILS, stale, 'stale;reason=upstream-error');
    });

    it.each(LISTS)('D20 $name: beyond its time it stands in no more', async (operation) => {
      await start(BOTH);
      await ask(operation.request);
      pass(TTL_MS + STALE_MS);
      scripted.upstream.respondWith(status(500));
      const answer = await ask(operation.request);
      expectUnavailable(operation, answer, 'upstream-error');
      expect([statusOf(answer), answer.headers.age]).toEqual(['fwd=miss', undefined]);
    });

    it('D20 whoever comes back is asked again, and its answer is complete', async () => {
      await start(BOTH);
      await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.enqueue(status(500));
      scripted.upstream.respondWith(weighing(99));
      expectAnswer(DETAILS, await ask(DETAILS.request), 'stale;reason=upstream-error');
      const back = await ask(DETAILS.request);
      expectAnswer(DETAILS, back, 'complete');
      expect([statusOf(back), back.headers.age]).toEqual(['fwd=stale; stored', undefined]);
    });

    it.each(SINGLES)('$name: a record that is gone does not come back', async (operation) => {
      await start(BOTH);
      await ask(operation.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(404));
      expectProblem(await ask(operation.request), 404, 'shipping-not-found');
      scripted.upstream.respondWith(status(500));
      expectProblem(await ask(operation.request), 500, 'external-system-failed');
    });

    it('a partial answer takes nothing from the last good one', async () => {
      await start(BOTH);
      const good = await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(weighing('heavy'));
      expectAnswer(DETAILS, await ask(DETAILS.request), 'partial;reason=bad-reply');
      scripted.upstream.respondWith(status(500));
      const stale = await ask(DETAILS.request);
      expectAnswer(DETAILS, stale, 'stale;reason=upstream-error');
      expect(stale.body).toBe(good.body);
    });

    it('RFC 9111 who says no-cache, or wants it younger, gets the failure', async () => {
      await start(BOTH);
      await ask(DETAILS.request);
      pass(TTL_MS);
      scripted.upstream.respondWith(status(500));
      for (const wish of ['no-cache', 'max-age=0', 'max-age=30']) {
        expectUnavailable(DETAILS, await ask(DETAILS.request, { 'Cache-Control': wish }), 'upstream-error');
      }
    });

    it('alone, it asks every time and falls back on the last good answer', async () => {
      await start({ CACHE_STALE_IF_ERROR_MS: String(STALE_MS) });
      await ask(DETAILS.request);
      expect(statusOf(await ask(DETAILS.request))).toBe('fwd=stale; stored');
      scripted.upstream.respondWith(status(500));
      expectAnswer(DETAILS, await ask(DETAILS.request), 'stale;reason=upstream-error');
      expect(calls()).toBe(3);
    });
  });
});
