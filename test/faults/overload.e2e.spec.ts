import { DETAILS, PAGED, STRICT, type Operation } from '../support/operations';
import { startScriptedService, type ScriptedService } from '../support/service';
import { delayed, json, status } from '../support/upstream/answers';
import { neverAnswers } from '../support/upstream/connection-faults';
import type { Outcome, ReceivedCall } from '../support/upstream/received-call';
import { distinct, expectRecovered, timed, type Timed } from './support/fault-answers';

const OPEN_MS = 600;
/** The retries that are allowed however few the calls. */
const LEAST_RETRIES = 3;
const QUEUE_MS = 250;
const GENEROUS_MS = 500;

const SETTINGS = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '2000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '500',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(OPEN_MS),
};

async function withService(env: Record<string, string>, use: (scripted: ScriptedService) => Promise<void>) {
  const scripted = await startScriptedService({ ...SETTINGS, ...env });
  try {
    await use(scripted);
  } finally {
    await scripted.close();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const completenessOf = ({ answer }: Timed) => answer.headers['shipping-completeness'];
const reasons = (answers: readonly Timed[], reason: string) =>
  answers.filter((answer) => completenessOf(answer) === `unavailable;reason=${reason}`);

/** So many distinct requests at the same time. */
function burst({ service }: ScriptedService, count: number, operation: Operation = PAGED): Promise<Timed[]> {
  return Promise.all(Array.from({ length: count }, () => timed(service, operation)));
}

async function circuitOf({ service }: ScriptedService): Promise<string> {
  return (await service.get('/health/ready')).json().externalSystem.circuit as string;
}

/** Fails calls until the circuit is open. */
async function openCircuit(scripted: ScriptedService): Promise<void> {
  scripted.upstream.respondWith(status(500));
  await burst(scripted, 25);
  expect(await circuitOf(scripted)).toBe('open');
}

describe('amplification', () => {
  // 408 is retried and says nothing about health: the circuit never opens, and the budget alone has to hold.
  it.each([408, 500, 503])('every call answered %i: at most 1.2 external calls per request', async (code) => {
    await withService({}, async (scripted) => {
      scripted.upstream.respondWith(status(code));
      const requests = 200;
      for (let sent = 0; sent < requests; sent += 20) await burst(scripted, 20, DETAILS);
      expect(scripted.upstream.calls.length / requests).toBeLessThanOrEqual(1.2);
    });
  });

  it('a handful of requests sees no more than the least number of retries', async () => {
    await withService({}, async (scripted) => {
      scripted.upstream.respondWith(status(408));
      await burst(scripted, 5);
      expect(scripted.upstream.calls.length).toBeLessThanOrEqual(5 + LEAST_RETRIES);
    });
  });
});

describe('an open circuit', () => {
  it('makes no external call and answers in single-digit milliseconds', async () => {
    await withService({ EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' }, async (scripted) => {
      await openCircuit(scripted);
      const before = scripted.upstream.calls.length;
      const answers: Timed[] = [];
      for (let sent = 0; sent < 200; sent += 1) answers.push(await timed(scripted.service, PAGED));
      expect(reasons(answers, 'circuit-open')).toHaveLength(200);
      expect(scripted.upstream.calls).toHaveLength(before);
      const durations = answers.map(({ tookMs }) => tookMs).sort((left, right) => left - right);
      expect(durations[100]).toBeLessThan(10);
    });
  });

  it('tells strict callers when to come back', async () => {
    await withService({}, async (scripted) => {
      await openCircuit(scripted);
      const answer = await scripted.service.ask(distinct(PAGED), STRICT);
      expect([answer.status, answer.json().reason, answer.headers['retry-after']]).toEqual([503, 'circuit-open', '1']);
    });
  });

  it('lets at most three probes through at once, however many ask and however long they hang', async () => {
    await withService({}, async (scripted) => {
      const { upstream } = scripted;
      await openCircuit(scripted);
      upstream.reset();
      upstream.respondWith(neverAnswers());
      const end = performance.now() + 4 * OPEN_MS;
      const storms: Promise<Timed[]>[] = [];
      for (let sent = 0; performance.now() < end; sent += 1) {
        storms.push(burst(scripted, 10));
        await pause(40);
      }
      const answers = (await Promise.all(storms)).flat();
      expect(upstream.calls.length).toBeGreaterThan(0);
      expect(upstream.maxInFlight).toBeLessThanOrEqual(3);
      expect(answers).toHaveLength(
        reasons(answers, 'circuit-open').length + reasons(answers, 'upstream-timeout').length,
      );
      // Probes time out together after 500 ms, then the circuit is open for at least 0.8 · 600 ms.
      expect(upstream.calls.length).toBeLessThanOrEqual(9);
    });
  });

  it('answers in full within two open periods of recovery', async () => {
    await withService({}, async (scripted) => {
      await openCircuit(scripted);
      scripted.upstream.respondWith(json());
      const recovered = performance.now();
      let fullSince: number | undefined;
      while (performance.now() < recovered + 2 * OPEN_MS + GENEROUS_MS) {
        const [answer] = await burst(scripted, 1);
        const full = answer !== undefined && completenessOf(answer) === 'complete';
        fullSince = full ? (fullSince ?? performance.now()) : undefined;
        await pause(10);
      }
      expect(fullSince).toBeLessThan(recovered + 2 * OPEN_MS);
      await expectRecovered(scripted);
    });
  });
});

describe('the concurrency limit', () => {
  const LIMIT = 4;

  it('is never exceeded, under a storm of requests whose clients leave at any moment', async () => {
    await withService({ EXTERNAL_SHIPPING_MAX_CONCURRENT: String(LIMIT) }, async (scripted) => {
      const { service, upstream } = scripted;
      const log: Interval[] = [];
      upstream.respondWith((call) => {
        void record(call, log);
        return delayed(5 + ((log.length * 7) % 40));
      });
      let mostHeld = 0;
      const clients = Array.from({ length: 300 }, async (_, index) => {
        await pause(index * 5);
        const signal = index % 2 === 0 ? undefined : AbortSignal.timeout(1 + ((index * 13) % 60));
        await service.get(`/api/Shipping/${distinct(PAGED)}`, { signal }).catch(() => undefined);
        const { inFlight } = (await service.get('/health/ready')).json().externalSystem as { inFlight: number };
        mostHeld = Math.max(mostHeld, inFlight);
      });
      await Promise.all(clients);
      await upstream.until(() => upstream.inFlight() === 0);
      expect(log.filter(({ outcome }) => outcome === 'aborted').length).toBeGreaterThan(10);
      expect(mostHeld).toBeLessThanOrEqual(LIMIT);
      expect(mostAtOnce(log.filter(({ outcome }) => outcome === 'finished'))).toBeLessThanOrEqual(LIMIT);
      // A client that gives up and calls again is seen with both calls until its two sockets have both reported.
      expect(upstream.maxInFlight).toBeLessThanOrEqual(LIMIT + 1);
      await expectRecovered(scripted);
    });
  });

  it('answers the surplus within the queue time, as saturated', async () => {
    const env = { EXTERNAL_SHIPPING_MAX_CONCURRENT: '2', EXTERNAL_SHIPPING_MAX_QUEUE: '4' };
    await withService({ ...env, EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1500' }, async (scripted) => {
      const { service, upstream } = scripted;
      upstream.respondWith(neverAnswers());
      const leaving = new AbortController();
      const holders = Array.from({ length: 2 }, () =>
        service.get(`/api/Shipping/${distinct(PAGED)}`, { signal: leaving.signal }).catch(() => undefined),
      );
      await upstream.waitForCalls(2);
      const surplus = await burst(scripted, 12);
      expect(reasons(surplus, 'saturated')).toHaveLength(12);
      expect(surplus.filter(({ tookMs }) => tookMs >= QUEUE_MS - 10)).toHaveLength(4);
      expect(Math.max(...surplus.map(({ tookMs }) => tookMs))).toBeLessThan(QUEUE_MS + GENEROUS_MS);
      expect(upstream.calls).toHaveLength(2);
      const strict = await service.ask(distinct(PAGED), STRICT);
      expect([strict.status, strict.json().reason]).toEqual([503, 'saturated']);
      leaving.abort();
      await Promise.all(holders);
      await expectRecovered(scripted);
    });
  });

  it('waiting requests are served in their turn when a place comes free', async () => {
    await withService({ EXTERNAL_SHIPPING_MAX_CONCURRENT: '1' }, async (scripted) => {
      scripted.upstream.respondWith(() => delayed(20));
      const answers = await burst(scripted, 5);
      expect(answers.map(completenessOf)).toEqual(Array(5).fill('complete'));
      expect(scripted.upstream.maxInFlight).toBe(1);
    });
  });
});

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly outcome: Outcome;
}

async function record(call: ReceivedCall, log: Interval[]): Promise<void> {
  const outcome = await call.outcome;
  log.push({ from: call.receivedAt, to: performance.now(), outcome });
}

/** How many of the intervals overlap at most. */
function mostAtOnce(intervals: readonly Interval[]): number {
  const changes = intervals.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  changes.sort((left, right) => left.at - right.at || left.by - right.by);
  let now = 0;
  return Math.max(0, ...changes.map(({ by }) => (now += by)));
}
