import fc from 'fast-check';
import { Cancellation } from './cancellation';
import { ConcurrencyLimit } from './concurrency-limit';

const settings = { maxConcurrent: 2, maxQueue: 3, queueTimeoutMs: 250 };

/** Follows one `enter`: what came of it. */
class Visitor {
  readonly cancellation = new Cancellation();
  outcome: unknown = 'waiting';

  constructor(limit: ConcurrencyLimit) {
    try {
      const turn = limit.acquire(this.cancellation);
      if (turn === undefined) {
        this.outcome = 'in';
      } else {
        turn.then(
          () => (this.outcome = 'in'),
          (error: unknown) => (this.outcome = error),
        );
      }
    } catch (error) {
      this.outcome = error;
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

  it('hands a place to the first in the queue, whose timer and listener end', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , first, second] = visitors(limit, 4);
    limit.release();
    await flush();
    expect([first?.outcome, second?.outcome]).toEqual(['in', 'waiting']);
    expect(limit).toMatchObject({ inFlight: 2, waiting: 1 });
    expect(jest.getTimerCount()).toBe(1);
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
        const visitor = new Visitor(limit);
        const since = performance.now();
        let settledAs = visitor.outcome;
        Object.defineProperty(visitor, 'outcome', {
          get: () => settledAs,
          set: (outcome: unknown) => {
            settledAs = outcome;
            expect(performance.now() - since).toBeLessThanOrEqual(settings.queueTimeoutMs);
            note();
          },
        });
        const note = (): void => {
          if (settledAs === 'in') {
            served.push(visitor);
            holders += 1;
          }
        };
        note();
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
      expect(jest.getTimerCount()).toBe(0);
    };
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 60 }), run));
  });
});
