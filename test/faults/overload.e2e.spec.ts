import { completenessOf } from '../support/expectations';
import { useMonotonicClock } from '../support/monotonic-clock';
import { DETAILS, eventually, PAGED, type Operation } from '../support/operations';
import { startScriptedService, type ScriptedService } from '../support/service';
import { json, status } from '../support/upstream/responses';
import { neverResponds } from '../support/upstream/connection-faults';
import { held } from '../support/upstream/held';
import { type Asked, requestDistinct, expectRecovered, PATIENT } from './support/fault-responses';

const OPEN_MS = 60_000;
/** The open time is off by up to a fifth. */
const OPEN_AT_MOST_MS = 1.2 * OPEN_MS;
const MAX_PROBES = 1;

const clock = useMonotonicClock();

async function withService(env: Record<string, string>, use: (scripted: ScriptedService) => Promise<void>) {
  const scripted = await startScriptedService({
    ...PATIENT,
    EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(OPEN_MS),
    ...env,
  });
  try {
    await use(scripted);
  } finally {
    await scripted.close();
  }
}

/** So many distinct requests at the same time. */
function burst({ service }: ScriptedService, count: number, operation: Operation = PAGED): Promise<Asked[]> {
  return Promise.all(Array.from({ length: count }, () => requestDistinct(service, operation)));
}

async function circuitOf({ service }: ScriptedService): Promise<string | undefined> {
  const { circuits } = (await service.get('/health/ready')).json().externalSystem as {
    circuits: Record<string, string>;
  };
  return circuits.paged;
}

/** Fails calls until the circuit is open. */
async function openCircuit(scripted: ScriptedService): Promise<void> {
  scripted.upstream.respondWith(status(500));
  await burst(scripted, 25);
  expect(await circuitOf(scripted)).toBe('open');
  scripted.upstream.reset();
}

describe('amplification', () => {
  // 408 is retried and says nothing about health: the circuit never opens, and the budget alone has to hold.
  it.each([408, 503])('D26 every upstream response %i: at most 1.2 external calls per request', async (code) => {
    await withService({}, async (scripted) => {
      scripted.upstream.respondWith(status(code));
      const requests = 100;
      for (let sent = 0; sent < requests; sent += 20) await burst(scripted, 20, DETAILS);
      expect(scripted.upstream.calls.length / requests).toBeLessThanOrEqual(1.2);
    });
  });
});

describe('an open circuit', () => {
  it('D20 D26 lets one probe through, and closes when it succeeds', async () => {
    await withService({}, async (scripted) => {
      const { upstream } = scripted;
      await openCircuit(scripted);
      const { behaviour, release } = held();
      upstream.respondWith(behaviour);
      clock.advance(OPEN_AT_MOST_MS);
      const refused: Asked[] = [];
      const asked = Array.from({ length: 30 }, async () => {
        const answer = await requestDistinct(scripted.service, PAGED);
        if (completenessOf(answer.answer) === 'unavailable;reason=circuit-open') refused.push(answer);
        return answer;
      });
      await eventually(() => refused.length === 30 - MAX_PROBES);
      await upstream.waitForCalls(MAX_PROBES);
      expect(upstream.calls).toHaveLength(MAX_PROBES);
      release();
      const complete = (await Promise.all(asked)).filter(({ answer }) => completenessOf(answer) === 'complete');
      expect(complete).toHaveLength(MAX_PROBES);
      await expectRecovered(scripted);
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
      await upstream.until(() => upstream.inFlight() === 0);
      expect(upstream.calls.filter(({ aborted }) => aborted).length).toBeGreaterThan(0);
      // A client that gives up and calls again is seen with both calls until its two sockets have both reported.
      expect(upstream.maxInFlight).toBeLessThanOrEqual(LIMIT + 1);
      await expectRecovered(scripted);
    });
  });
});
