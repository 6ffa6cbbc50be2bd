import fc from 'fast-check';
import { Cancellation } from './cancellation';
import { ConcurrencyLimit } from './concurrency-limit';

const settings = { maxConcurrent: 2, maxQueue: 3, queueTimeoutMs: 250, movingQueueTimeoutMs: 1000 };

/** Follows one `acquire`: what came of it, and after how many milliseconds. */
class Visitor {
  readonly cancellation = new Cancellation();
  outcome: unknown = 'waiting';
  waitedMs = 0;

  constructor(
    limit: ConcurrencyLimit,
    private readonly onSettled: (visitor: Visitor) => void = () => undefined,
  ) {
    const since = performance.now();
    const settle = (outcome: unknown): void => {
      this.outcome = outcome;
      this.waitedMs = performance.now() - since;
      this.onSettled(this);
    };
    try {
      const turn = limit.acquire(this.cancellation);
      if (turn === undefined) {
        settle('in');
      } else {
        turn.then(() => {
          settle('in');
        }, settle);
      }
    } catch (error) {
      settle(error);
    }
  }
}

function visitors(limit: ConcurrencyLimit, count: number): Visitor[] {
  return Array.from({ length: count }, () => new Visitor(limit));
}

const flush = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

describe('ConcurrencyLimit', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives places at once while there are any, without a timer', () => {
    const limit = new ConcurrencyLimit(settings);
    expect(visitors(limit, 2).map(({ outcome }) => outcome)).toEqual(['in', 'in']);
    expect(limit).toMatchObject({ inFlight: 2, waiting: 0 });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('queues the next ones and refuses those that find the queue full', () => {
    const limit = new ConcurrencyLimit(settings);
    const outcomes = visitors(limit, 6).map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 5)).toEqual(['in', 'in', 'waiting', 'waiting', 'waiting']);
    expect(outcomes[5]).toMatchObject({ reason: 'saturated', message: 'the queue of calls is full' });
    expect(limit).toMatchObject({ inFlight: 2, waiting: 3 });
  });

  it('hands a place to the first in the queue, whose listener ends', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , first, second] = visitors(limit, 4);
    limit.release();
    await flush();
    expect([first?.outcome, second?.outcome]).toEqual(['in', 'waiting']);
    expect(limit).toMatchObject({ inFlight: 2, waiting: 1 });
    first?.cancellation.cancel(new Error('late'));
    expect(limit).toMatchObject({ inFlight: 2, waiting: 1 });
    await jest.advanceTimersByTimeAsync(250);
    expect(first?.outcome).toBe('in');
  });

  it('gives up after the queue time', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , waiting] = visitors(limit, 3);
    await jest.advanceTimersByTimeAsync(249);
    expect(waiting?.outcome).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1);
    expect(waiting?.outcome).toMatchObject({ reason: 'saturated', message: 'no slot was released in time' });
    expect(limit.waiting).toBe(0);
    waiting?.cancellation.cancel(new Error('late'));
    expect(limit.waiting).toBe(0);
  });

  it('frees the place in the queue at once when its owner leaves, wherever it stands', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , first, second, third] = visitors(limit, 5);
    const reason = new Error('left');
    second?.cancellation.cancel(reason);
    expect(limit.waiting).toBe(2);
    const [late] = visitors(limit, 1);
    limit.release();
    limit.release();
    await flush();
    expect([first?.outcome, second?.outcome, third?.outcome, late?.outcome]).toEqual(['in', reason, 'in', 'waiting']);
    late?.cancellation.cancel(reason);
    await jest.advanceTimersByTimeAsync(25);
    expect([limit.waiting, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('never exceeds the limit, serves in order, and settles each in time, under any interleaving', async () => {
    const operation = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: 'enter' as const, n: 0 }) },
      { weight: 3, arbitrary: fc.constant({ kind: 'leave' as const, n: 0 }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), n: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), n: fc.nat(300) }) },
      { weight: 2, arbitrary: fc.constant({ kind: 'flush' as const, n: 0 }) },
    );
    const run = async (operations: { kind: string; n: number }[]): Promise<void> => {
      const limit = new ConcurrencyLimit(settings);
      const everyone: Visitor[] = [];
      const queued: Visitor[] = [];
      const served: Visitor[] = [];
      let holders = 0;
      const enter = (): void => {
        const ahead = limit.waiting;
        const visitor = new Visitor(limit, (settled) => {
          expect(settled.waitedMs).toBeLessThanOrEqual(settings.movingQueueTimeoutMs);
          if (settled.outcome === 'in') {
            served.push(settled);
            holders += 1;
          }
        });
        everyone.push(visitor);
        // Who has to wait hears of the place in a later turn than who finds one, so only those who wait can be compared.
        if (visitor.outcome === 'in') expect(ahead).toBe(0);
        else queued.push(visitor);
      };
      const leave = (): void => {
        if (holders > 0) {
          holders -= 1;
          limit.release();
        }
      };
      for (const { kind, n } of operations) {
        if (kind === 'enter') {
          enter();
        } else if (kind === 'leave') {
          leave();
        } else if (kind === 'cancel') {
          const waiting = everyone.filter(({ outcome }) => outcome === 'waiting');
          waiting[n % Math.max(1, waiting.length)]?.cancellation.cancel(new Error('left'));
        } else {
          await jest.advanceTimersByTimeAsync(n);
        }
        expect(holders).toBeLessThanOrEqual(settings.maxConcurrent);
        expect(limit.inFlight).toBeLessThanOrEqual(settings.maxConcurrent);
        expect(limit.waiting).toBeLessThanOrEqual(settings.maxQueue);
      }
      await jest.advanceTimersByTimeAsync(settings.queueTimeoutMs);
      expect(everyone.filter(({ outcome }) => outcome === 'waiting')).toEqual([]);
      const order = served.filter((visitor) => queued.includes(visitor)).map((visitor) => queued.indexOf(visitor));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(limit.inFlight).toBe(holders);
      while (holders > 0) {
        leave();
      }
      expect(limit).toMatchObject({ inFlight: 0, waiting: 0 });
      await jest.advanceTimersByTimeAsync(25);
      expect(jest.getTimerCount()).toBe(0);
    };
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 60 }), run));
  });
});

/** An upstream that answers each call after a time of its own. */
class Upstream {
  readonly visitors: Visitor[] = [];

  constructor(
    private readonly limit: ConcurrencyLimit,
    private readonly latencyMs: () => number,
  ) {}

  call(count: number): void {
    for (let made = 0; made < count; made += 1) {
      this.visitors.push(
        new Visitor(this.limit, ({ outcome }) => {
          if (outcome !== 'in') return;
          setTimeout(() => {
            this.limit.release();
          }, this.latencyMs());
        }),
      );
    }
  }

  get refused(): Visitor[] {
    return this.visitors.filter(({ outcome }) => outcome instanceof Error);
  }

  get served(): Visitor[] {
    return this.visitors.filter(({ outcome }) => outcome === 'in');
  }
}

describe('D42 the wait for a slot', () => {
  const wide = { ...settings, maxConcurrent: 64, maxQueue: 1024 };

  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is longer than 250 ms where the queue moves: a burst that the system can absorb is answered in full', async () => {
    const upstream = new Upstream(new ConcurrencyLimit(wide), () => 100);
    upstream.call(512);
    await jest.advanceTimersByTimeAsync(1000);
    expect(upstream.served).toHaveLength(512);
    expect(upstream.served.at(-1)?.waitedMs).toBe(700);
  });

  it('ends at once for those whose turn would come later than after one second', async () => {
    const upstream = new Upstream(new ConcurrencyLimit(wide), () => 200);
    upstream.call(512);
    await jest.advanceTimersByTimeAsync(199);
    expect(upstream.refused).toEqual([]);
    await jest.advanceTimersByTimeAsync(26);
    // Waves start at 0, 200, 400, 600 and 800 ms; ticks of 25 ms tell no more than that.
    const kept = upstream.visitors.length - upstream.refused.length;
    expect(kept).toBeGreaterThanOrEqual(5 * 64);
    expect(kept).toBeLessThan(7 * 64);
    expect(upstream.refused.map(({ outcome }) => outcome)).toContainEqual(
      expect.objectContaining({ reason: 'saturated', message: 'slots are released too slowly for the queue' }),
    );
  });

  it('is not begun by those who find such a queue', async () => {
    const upstream = new Upstream(new ConcurrencyLimit(wide), () => 200);
    upstream.call(512);
    await jest.advanceTimersByTimeAsync(225);
    const before = upstream.refused.length;
    upstream.call(100);
    expect(upstream.refused.length - before).toBeGreaterThan(0);
    expect(upstream.refused.slice(before).every(({ waitedMs }) => waitedMs === 0)).toBe(true);
  });

  it('is 250 ms from the last release on where the queue comes to a stop', async () => {
    let latency = 20;
    const upstream = new Upstream(new ConcurrencyLimit(wide), () => latency);
    upstream.call(512);
    await jest.advanceTimersByTimeAsync(39);
    latency = 100_000;
    await jest.advanceTimersByTimeAsync(1);
    expect(upstream.refused).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(upstream.served).toHaveLength(192);
    expect(upstream.refused).toHaveLength(320);
  });

  it('does not suffer from a pause of the process', () => {
    const limit = new ConcurrencyLimit(wide);
    const upstream = new Upstream(limit, () => 100_000);
    jest.advanceTimersByTime(1);
    upstream.call(512);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 900);
    // What arrived during the pause is read before the next tick looks.
    for (let released = 0; released < 64; released += 1) limit.release();
    jest.advanceTimersByTime(25);
    expect(upstream.refused).toEqual([]);
  });

  it('forgets the rate of an earlier queue', async () => {
    let latency = 200;
    const upstream = new Upstream(new ConcurrencyLimit(wide), () => latency);
    upstream.call(192);
    await jest.advanceTimersByTimeAsync(2000);
    latency = 40;
    upstream.call(1000);
    await jest.advanceTimersByTimeAsync(1000);
    expect(upstream.refused).toEqual([]);
  });

  it('refuses nobody of a burst that constant latency serves within 700 ms, whatever the numbers', async () => {
    const burst = fc
      .record({
        slots: fc.integer({ min: 1, max: 80 }),
        latency: fc.integer({ min: 1, max: 225 }),
        fill: fc.double({ min: 0.1, max: 1, noNaN: true }),
      })
      .map(({ slots, latency, fill }) => ({
        slots,
        latency,
        calls: Math.ceil(fill * slots * Math.floor(700 / latency)),
      }))
      .filter(({ calls }) => calls <= 1000);
    await fc.assert(
      fc.asyncProperty(burst, async ({ slots, latency, calls }) => {
        const upstream = new Upstream(new ConcurrencyLimit({ ...wide, maxConcurrent: slots }), () => latency);
        upstream.call(calls);
        await jest.advanceTimersByTimeAsync(1000);
        expect(upstream.served).toHaveLength(calls);
      }),
      // One slot, released every 13 ms: twice in most ticks of 25 ms, and once in a few.
      { examples: [[{ slots: 1, latency: 13, calls: 53 }]] },
    );
  });

  it('holds under any traffic: nobody waits longer than a second, and who is refused is so for a reason', async () => {
    const step = fc.record({ calls: fc.nat(40), latency: fc.integer({ min: 1, max: 1500 }), pass: fc.nat(200) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        let latency = 1;
        const limit = new ConcurrencyLimit({ ...wide, maxConcurrent: 8, maxQueue: 100 });
        const upstream = new Upstream(limit, () => latency);
        for (const { calls, latency: next, pass } of steps) {
          latency = next;
          upstream.call(calls);
          expect(limit.inFlight).toBeLessThanOrEqual(8);
          expect(limit.waiting).toBeLessThanOrEqual(100);
          await jest.advanceTimersByTimeAsync(pass);
        }
        await jest.advanceTimersByTimeAsync(3000);
        for (const { outcome, waitedMs } of upstream.visitors) {
          expect(waitedMs).toBeLessThanOrEqual(1000);
          if (outcome instanceof Error) expect(outcome).toMatchObject({ reason: 'saturated' });
          else expect(outcome).toBe('in');
        }
        expect(limit).toMatchObject({ inFlight: 0, waiting: 0 });
        expect(jest.getTimerCount()).toBe(0);
      }),
    );
  });
});
