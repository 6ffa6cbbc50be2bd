import { DETAILS, eventually, OPERATIONS, PAGED } from '../support/operations';
import { useScriptedService } from '../support/service';
import { sharedCalls, untilSharedBy } from '../support/shared-calls';
import { json, status } from '../support/upstream/responses';
import { neverResponds } from '../support/upstream/connection-faults';
import { held } from '../support/upstream/held';
import { PATIENT } from './support/fault-responses';

const REQUEST = `/api/Shipping/${DETAILS.request}`;

describe('sharing and leaving', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  let sharedBefore: number;
  let leftBefore: number;

  beforeEach(async () => {
    sharedBefore = await sharedCalls(scripted.service);
    leftBefore = left();
  });

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
  const noCallWaits = (): Promise<void> => scripted.upstream.until(() => waitingCalls() === 0);

  it.each(OPERATIONS)('20 identical $name at the same time make one external call', async ({ request }) => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const clients = Array.from({ length: 20 }, () => client(`/api/Shipping/${request}`).answer);
    await sharedBy(19);
    release();
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['200 complete']));
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('requests that mean the same share, however they are spelled', async () => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const spellings = [
      'GetShippingPagedList?PageNumber=1&PageSize=10&Status=Delivered',
      'getshippingpagedlist/?status=DELIVERED&pagesize=010&sortby=createddate',
      'GetShippingPagedList?Status=%20delivered%20&SortDirection=down&Unknown=1',
    ];
    const clients = spellings.map((spelling) => client(`/api/Shipping/${spelling}`).answer);
    await sharedBy(2);
    release();
    expect(await Promise.all(clients)).toEqual(Array(3).fill('200 complete'));
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('different requests do not share an entry share', async () => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const different = ['Limit=1', 'Limit=2', 'OrderId=a', 'OrderId=A', 'SearchTerm=a', 'SearchTerm=a%26Limit%3D1'];
    const clients = different.map((query) => client(`/api/Shipping/GetShippingDetails?${query}`).answer);
    await scripted.upstream.waitForCalls(different.length);
    release();
    await Promise.all(clients);
    expect(await sharedCalls(scripted.service)).toBe(sharedBefore);
  });

  it('a client disconnect cancels its external call', async () => {
    scripted.upstream.respondWith(neverResponds());
    const alone = client();
    await scripted.upstream.waitForCalls(1);
    alone.leave();
    await noCallWaits();
    expect(scripted.upstream.calls[0]?.aborted).toBe(true);
    expect(await alone.answer).toBe('left');
  });

  it('a client disconnect does not affect clients that share the call', async () => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
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

  it('when the last client that shares a call disconnects, it is cancelled, and the next request has a call of its own', async () => {
    scripted.upstream.enqueue(neverResponds());
    const clients = [client(), client(), client()];
    await scripted.upstream.waitForCalls(1);
    await sharedBy(2);
    clients[0]?.leave();
    clients[1]?.leave();
    await logged(2);
    expect(waitingCalls()).toBe(1);
    clients[2]?.leave();
    await noCallWaits();
    expect(scripted.upstream.calls.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await client().answer).toBe('200 complete');
  });

  it('a failure is shared by its flight, and the next request gets a call of its own', async () => {
    const { behaviour, release } = held(status(500));
    scripted.upstream.enqueue(behaviour);
    scripted.upstream.respondWith(json());
    const together = [client().answer, client().answer, client().answer];
    await sharedBy(2);
    release();
    expect(await Promise.all(together)).toEqual(Array(3).fill('200 unavailable;reason=upstream-error'));
    expect(scripted.upstream.calls).toHaveLength(1);
    expect(await client().answer).toBe('200 complete');
    expect(await client().answer).toBe('200 complete');
    expect(scripted.upstream.calls).toHaveLength(3);
  });

  it('client disconnects count neither as upstream failures nor as errors', async () => {
    scripted.upstream.respondWith(neverResponds());
    const clients = Array.from({ length: 30 }, (_, index) => client(`/api/Shipping/${PAGED.request}&OrderId=${index}`));
    await scripted.upstream.waitForCalls(30);
    for (const each of clients) each.leave();
    await noCallWaits();
    await logged(30);
    scripted.upstream.respondWith(json());
    expect(await client().answer).toBe('200 complete');
    expect(scripted.service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  /** Waits until so many requests of this test have joined calls of others. */
  function sharedBy(count: number): Promise<void> {
    return untilSharedBy(scripted.service, sharedBefore + count);
  }

  function left(): number {
    return scripted.service.requestLog.filter(({ status: code }) => code === 499).length;
  }

  /** Waits until the service has noticed that so many clients of this test left. */
  function logged(count: number): Promise<void> {
    return eventually(() => left() >= leftBefore + count);
  }
});
