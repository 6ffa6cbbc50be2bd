import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { json, status } from '../../testing/upstream/responses';
import { DETAILS, PAGED, PATIENT } from '../support/operations';
import { type ScriptedService, startScriptedService } from '../support/service';
import { expectRecovered, requestDistinct } from './support/fault-responses';

async function withService(env: Record<string, string>, use: (scripted: ScriptedService) => Promise<void>) {
  const scripted = await startScriptedService({ ...PATIENT, ...env });
  try {
    await use(scripted);
  } finally {
    await scripted.close();
  }
}

describe('amplification', () => {
  // 408 is retried and says nothing about health: the circuit never opens, and the budget alone has to hold.
  it.each([408, 503])('D26 every upstream response %i: at most 1.2 external calls per request', async (code) => {
    await withService({}, async (scripted) => {
      scripted.upstream.respondWith(status(code));
      const requests = 100;
      for (let sent = 0; sent < requests; sent += 20) {
        await Promise.all(Array.from({ length: 20 }, () => requestDistinct(scripted.service, DETAILS)));
      }
      expect(scripted.upstream.calls.length / requests).toBeLessThanOrEqual(1.2);
    });
  });
});

describe('the concurrency limit', () => {
  const LIMIT = 4;

  it('D26 is never exceeded, under a storm of requests half of whose clients disconnect', async () => {
    await withService({ EXTERNAL_SHIPPING_MAX_CONCURRENT: String(LIMIT) }, async (scripted) => {
      const { service, upstream } = scripted;
      const leaving = new Map(Array.from({ length: 40 }, (_, index) => [`LEAVES-${index}`, new AbortController()]));
      upstream.respondWith(({ params }) => {
        const client = leaving.get(params.get('OrderId') ?? '');
        client?.abort();
        return client === undefined ? json() : neverResponds();
      });
      await Promise.all(
        [...leaving].flatMap(([id, { signal }], index) => [
          service.get(`/api/Shipping/${PAGED.request}&OrderId=${id}`, { signal }).catch(() => undefined),
          service.get(`/api/Shipping/${PAGED.request}&OrderId=STAYS-${index}`),
        ]),
      );
      await eventually('calls in flight', () => upstream.inFlight(), 0);
      expect(upstream.calls.filter(({ aborted }) => aborted).length).toBeGreaterThan(0);
      // A client that gives up and calls again is seen with both calls until its two sockets have both reported.
      expect(upstream.maxInFlight).toBeLessThanOrEqual(LIMIT + 1);
      await expectRecovered(scripted);
    });
  });
});
