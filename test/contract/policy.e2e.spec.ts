import { expectAnswer, expectPlainMessage, expectProblem } from '../support/expectations';
import { DETAILS, LISTS, SINGLES, STRICT, withQuery } from '../support/operations';
import { useSandbox } from '../support/sandboxed-service';
import { RunningService, startScriptedService, useScriptedService, type ScriptedService } from '../support/service';
import { json, status } from '../support/upstream/responses';
import { badJson } from '../support/upstream/body-faults';
import { neverResponds, resetsBeforeHeaders } from '../support/upstream/connection-faults';
import { held } from '../support/upstream/held';
import { anyReply, wireRecord } from '../support/upstream/records';

const ONE_ATTEMPT = { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };

describe('D21 LIST_FAILURE=error', () => {
  const scripted = useScriptedService({
    LIST_FAILURE: 'error',
    EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1000',
    ...ONE_ATTEMPT,
  });

  describe.each([
    ['upstream-error', 502, status(500)],
    ['bad-reply', 502, badJson()],
    ['upstream-unreachable', 503, resetsBeforeHeaders()],
    ['upstream-timeout', 504, neverResponds()],
  ] as const)('D21 %s is %d', (reason, code, behaviour) => {
    it.each(LISTS)('D21 $name: for every client, Preference-Applied for strict ones only', async ({ request }) => {
      scripted.upstream.respondWith(behaviour);
      for (const headers of [{}, { Prefer: 'handling=lenient' }, STRICT]) {
        const response = await scripted.service.request(request, headers);
        expectProblem(response, code, 'external-system-failed');
        expect(response.json().reason).toBe(reason);
        expect(response.headers['preference-applied']).toBe(headers === STRICT ? 'handling=strict' : undefined);
        expect(response.headers['shipping-completeness']).toBeUndefined();
      }
    });
  });

  it.each(SINGLES)('D15 $name: 500 for clients that are not strict, 502 for strict ones', async ({ request }) => {
    scripted.upstream.respondWith(status(500));
    expectProblem(await scripted.service.request(request), 500, 'external-system-failed');
    expectProblem(await scripted.service.request(request, STRICT), 502, 'external-system-failed');
  });

  it.each(LISTS)('D2 $name: unknown parameters are ignored for clients that are not strict', async (operation) => {
    const request = withQuery(operation.request, 'Colour=red');
    expectAnswer(operation, await scripted.service.request(request), 'complete');
    expectProblem(await scripted.service.request(request, STRICT), 400, 'invalid-parameters');
  });

  it.each(LISTS)('D20 $name: partial results stay 200', async (operation) => {
    const odd = wireRecord({ TotalWeight: 'heavy' });
    scripted.upstream.respondWith(json(anyReply({ ...odd, Items: [odd], ShippingDetails: [odd] })));
    expectAnswer(operation, await scripted.service.request(operation.request), 'partial;reason=bad-reply');
  });
});

describe('D21 LIST_FAILURE=error with little room', () => {
  let scripted: ScriptedService;
  afterEach(() => scripted.close());

  it('D21 saturated is 503 for every client', async () => {
    const limits = { EXTERNAL_SHIPPING_MAX_CONCURRENT: '1', EXTERNAL_SHIPPING_MAX_QUEUE: '0' };
    scripted = await startScriptedService({ LIST_FAILURE: 'error', ...ONE_ATTEMPT, ...limits });
    const waiting = held();
    scripted.upstream.respondWith(waiting.behaviour);
    const first = scripted.service.request(DETAILS.request);
    await scripted.upstream.waitForCalls(1);
    for (const { request } of LISTS) {
      const response = await scripted.service.request(withQuery(request, 'OrderId=other'));
      expectProblem(response, 503, 'external-system-failed');
      expect(response.json().reason).toBe('saturated');
    }
    waiting.release();
    expect((await first).status).toBe(200);
  });
});

describe.each([
  [5, 5],
  [250, 10],
])('D4 MAX_PAGE_SIZE=%d', (max, pageSize) => {
  const scripted = useScriptedService({ MAX_PAGE_SIZE: String(max) });
  const paged = (query: string): ReturnType<RunningService['request']> =>
    scripted.service.request(`GetShippingPagedList${query}`);
  const sentSize = (): unknown => scripted.upstream.calls.at(-1)?.params.get('PageSize');

  it('D4 the largest page is sent, a larger one is refused with the message', async () => {
    expect((await paged(`?PageSize=${max}`)).status).toBe(200);
    expect(sentSize()).toBe(String(max));
    for (const bad of [String(max + 1), '0', 'x']) {
      expectPlainMessage(await paged(`?PageSize=${bad}`), `Page size must be between 1 and ${max}`);
    }
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it(`D4 the default is ${pageSize}, also in an empty page`, async () => {
    expect((await paged('')).status).toBe(200);
    expect(sentSize()).toBe(String(pageSize));
    scripted.upstream.respondWith(status(500));
    expect((await paged('')).json()).toMatchObject({ items: [], pageSize });
  });
});

describe('D28 the sandbox', () => {
  const service = useSandbox(2000, 'basic', { MAX_PAGE_SIZE: '1000' });

  it('D4 serves the largest page, whose links lead to other pages', async () => {
    const first = await service.request('GetShippingPagedList?PageSize=1000');
    expect(first.json()).toMatchObject({ totalCount: 2000, pageSize: 1000, totalPages: 2 });
    expect(first.json().items).toHaveLength(1000);
    expect(first.headers['shipping-completeness']).toBe('complete');
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
    expect((await service.get(next)).json()).toMatchObject({ pageNumber: 2, pageSize: 1000, hasNextPage: false });
  });
});
