import { DETAILS, eventually, OPERATIONS, PAGED } from '../support/operations';
import { startScriptedService, type ScriptedService } from '../support/service';
import { delayed, json, status } from '../support/upstream/answers';
import { neverAnswers } from '../support/upstream/connection-faults';

const REQUEST = `/api/Shipping/${DETAILS.request}`;
/** Far below every deadline of the service: a call that ends within it ended because its client left. */
const AT_ONCE_MS = 1_000;

describe('sharing and leaving', () => {
  let scripted: ScriptedService;

  beforeEach(async () => {
    scripted = await startScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  });
  afterEach(() => scripted.close());

  /** A client that can leave. */
  function client(path = REQUEST) {
    const controller = new AbortController();
    const answer = scripted.service.get(path, { signal: controller.signal }).then(
      ({ status: code, headers }) => `${code} ${String(headers['shipping-completeness'])}`,
      () => 'left',
    );
    return {
      answer,
      leave: () => {
        controller.abort();
      },
    };
  }

  const waitingCalls = (): number => scripted.upstream.inFlight();

  it.each(OPERATIONS)('20 identical $name at the same time make one external call', async ({ request }) => {
    scripted.upstream.respondWith(delayed(300));
    const answers = await Promise.all(Array.from({ length: 20 }, () => client(`/api/Shipping/${request}`).answer));
    expect(new Set(answers)).toEqual(new Set(['200 complete']));
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('requests that mean the same share, however they are spelled', async () => {
    scripted.upstream.respondWith(delayed(300));
    const spellings = [
      'GetShippingPagedList?PageNumber=1&PageSize=10&Status=Delivered',
      'getshippingpagedlist/?status=DELIVERED&pagesize=010&sortby=createddate',
      'GetShippingPagedList?Status=%20delivered%20&SortDirection=down&Unknown=1',
    ];
    const answers = await Promise.all(spellings.map((spelling) => client(`/api/Shipping/${spelling}`).answer));
    expect(answers).toEqual(Array(3).fill('200 complete'));
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('requests that differ in anything do not share', async () => {
    scripted.upstream.respondWith(delayed(300));
    const different = ['Limit=1', 'Limit=2', 'OrderId=a', 'OrderId=A', 'SearchTerm=a', 'SearchTerm=a%26Limit%3D1'];
    await Promise.all(different.map((query) => client(`/api/Shipping/GetShippingDetails?${query}`).answer));
    expect(scripted.upstream.calls).toHaveLength(different.length);
  });

  it('a client that leaves alone aborts its external call at once', async () => {
    scripted.upstream.respondWith(neverAnswers());
    const alone = client();
    await scripted.upstream.waitForCalls(1);
    alone.leave();
    await scripted.upstream.until(() => waitingCalls() === 0, AT_ONCE_MS);
    expect(scripted.upstream.calls[0]?.aborted).toBe(true);
    expect(await alone.answer).toBe('left');
  });

  it('a client that leaves while others share costs them nothing', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    scripted.upstream.respondWith(async () => released.then(() => json()));
    const [first, second, third] = [client(), client(), client()];
    await scripted.upstream.waitForCalls(1);
    await sharedBy(2);
    first.leave();
    second.leave();
    expect(await Promise.all([first.answer, second.answer])).toEqual(['left', 'left']);
    await logged(2);
    expect(waitingCalls()).toBe(1);
    release();
    expect(await third.answer).toBe('200 complete');
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('when the last of those who share leaves, the external call is aborted', async () => {
    scripted.upstream.respondWith(neverAnswers());
    const clients = [client(), client(), client()];
    await scripted.upstream.waitForCalls(1);
    await sharedBy(2);
    clients[0]?.leave();
    clients[1]?.leave();
    await logged(2);
    expect(waitingCalls()).toBe(1);
    clients[2]?.leave();
    await scripted.upstream.until(() => waitingCalls() === 0, AT_ONCE_MS);
    expect(scripted.upstream.calls.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('who asks after the last one left gets a call of its own', async () => {
    scripted.upstream.enqueue(neverAnswers());
    scripted.upstream.respondWith(json());
    const first = client();
    await scripted.upstream.waitForCalls(1);
    first.leave();
    await scripted.upstream.until(() => waitingCalls() === 0, AT_ONCE_MS);
    expect(await client().answer).toBe('200 complete');
  });

  it('a failure is shared by its flight and remembered for nobody', async () => {
    scripted.upstream.enqueue(delayed(200, status(500)));
    scripted.upstream.respondWith(json());
    const together = await Promise.all([client().answer, client().answer, client().answer]);
    expect(together).toEqual(Array(3).fill('200 unavailable;reason=upstream-error'));
    expect(scripted.upstream.calls).toHaveLength(1);
    expect(await client().answer).toBe('200 complete');
  });

  it('a success is remembered for nobody either', async () => {
    scripted.upstream.respondWith(json());
    await client().answer;
    await client().answer;
    expect(scripted.upstream.calls).toHaveLength(2);
  });

  it('clients that leave count neither as failures of the external system nor as errors', async () => {
    scripted.upstream.respondWith(neverAnswers());
    for (let left = 0; left < 30; left += 1) {
      const leaving = client(`/api/Shipping/${PAGED.request}&OrderId=${left}`);
      await scripted.upstream.waitForCalls(left + 1);
      leaving.leave();
      await leaving.answer;
    }
    await scripted.upstream.until(() => waitingCalls() === 0, AT_ONCE_MS);
    await logged(30);
    scripted.upstream.respondWith(json());
    expect(await client().answer).toBe('200 complete');
    expect(scripted.service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  /** Waits until so many requests have joined calls of others. */
  async function sharedBy(count: number): Promise<void> {
    const event = `external_shipping_policy_events_total{event="shared"} ${count}`;
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await scripted.service.get('/metrics')).body.includes(event)) return;
    }
    throw new Error(`Fewer than ${count} requests shared a call`);
  }

  /** Waits until the service has noticed that so many clients left. */
  function logged(count: number): Promise<void> {
    return eventually(() => scripted.service.requestLog.filter(({ status: code }) => code === 499).length >= count);
  }
});
