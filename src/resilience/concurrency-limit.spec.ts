import fc from 'fast-check';
import { ConcurrencyLimit } from './concurrency-limit';
import { AbortEmitter } from './deadline';
import { ClientDisconnectedError } from './upstream-failure';

const settings = { maxConcurrent: 2, maxQueue: 3 };
const WAIT_MS = 1000;

/** Follows one `acquire`: what came of it, and after how many milliseconds. */
class Caller {
  readonly client = new AbortEmitter();
  outcome: unknown = 'waiting';
  waitedMs = 0;

  constructor(limit: ConcurrencyLimit, onSettled: (caller: Caller) => void = () => undefined) {
    const since = performance.now();
    const settle = (outcome: unknown): void => {
      this.outcome = outcome;
      this.waitedMs = performance.now() - since;
      onSettled(this);
    };
    try {
      const queued = limit.acquire(WAIT_MS, this.client);
      if (queued === undefined) settle('in');
      else queued.then(() => { settle('in'); }, settle); // prettier-ignore
    } catch (error) {
      settle(error);
    }
  }
}

const callers = (limit: ConcurrencyLimit, count: number): Caller[] =>
  Array.from({ length: count }, () => new Caller(limit));

describe('ConcurrencyLimit', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('D60 gives slots at once, then queues, then refuses', async () => {
    const limit = new ConcurrencyLimit(settings);
    const outcomes = callers(limit, 6).map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 5)).toEqual(['in', 'in', 'waiting', 'waiting', 'waiting']);
    expect(outcomes[5]).toMatchObject({ reason: 'saturated', message: 'The queue of calls is full' });
    expect(limit).toMatchObject({ inFlight: 2, waiting: 3 });
    await jest.advanceTimersByTimeAsync(WAIT_MS);
  });

  it('D60 D78 serves in order, past clients that disconnected', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , first, second, third] = callers(limit, 5);
    second?.client.abort();
    expect(limit.waiting).toBe(2);
    limit.release();
    await jest.advanceTimersByTimeAsync(0);
    expect([first, second, third].map((caller) => caller?.outcome)).toEqual([
      'in',
      expect.any(ClientDisconnectedError),
      'waiting',
    ]);
    first?.client.abort();
    limit.release();
    await jest.advanceTimersByTimeAsync(WAIT_MS);
    expect([first?.outcome, third?.outcome]).toEqual(['in', 'in']);
    expect([first, second, third].map((caller) => caller?.client.listenerCount('abort'))).toEqual([0, 0, 0]);
  });

  it('never exceeds the limit, serves in order, and settles each in time, under any interleaving', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: 'enter' as const, n: 0 }) },
      { weight: 3, arbitrary: fc.constant({ kind: 'release' as const, n: 0 }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), n: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), n: fc.nat(600) }) },
    );
    const run = async (steps: { kind: string; n: number }[]): Promise<void> => {
      const limit = new ConcurrencyLimit(settings);
      const everyone: Caller[] = [];
      const queued: Caller[] = [];
      let holders = 0;
      for (const { kind, n } of steps) {
        if (kind === 'enter') {
          const caller = new Caller(limit, ({ outcome, waitedMs }) => {
            expect(waitedMs).toBeLessThanOrEqual(WAIT_MS);
            if (outcome === 'in') holders += 1;
          });
          everyone.push(caller);
          if (caller.outcome === 'waiting') queued.push(caller);
        } else if (kind === 'release' && holders > 0) {
          holders -= 1;
          limit.release();
        } else if (kind === 'disconnect') {
          everyone[n % Math.max(1, everyone.length)]?.client.abort();
        } else if (kind === 'pass') {
          await jest.advanceTimersByTimeAsync(n);
        }
        await jest.advanceTimersByTimeAsync(0);
        expect(limit.inFlight).toBe(holders);
        expect(holders).toBeLessThanOrEqual(settings.maxConcurrent);
        const waiting = everyone.filter(({ outcome }) => outcome === 'waiting');
        expect(limit.waiting).toBe(waiting.length);
        // First in, first out: nobody who came later than one who waits was served from the queue.
        const served = queued.map(({ outcome }) => outcome).lastIndexOf('in');
        expect(queued.slice(0, served + 1)).not.toContainEqual(expect.objectContaining({ outcome: 'waiting' }));
        if (waiting.length > 0) expect(holders).toBe(settings.maxConcurrent);
      }
      await jest.advanceTimersByTimeAsync(WAIT_MS);
      expect(limit.waiting).toBe(0);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run));
  });
});
