import { Client } from '../../test/support/call-policy';
import { useFakeTimers } from '../../test/support/fake-timers';
import { ConcurrencyLimit } from './concurrency-limit';
import { CLIENT_DISCONNECTED } from './upstream-failure';

/** One operation may hold three of the four slots. */
const settings = { maxConcurrent: 4, maxQueue: 3 };
const WAIT_MS = 1000;

/** Follows one `acquire`: what came of it. */
class Caller {
  readonly client = new Client();
  outcome: unknown = 'waiting';

  constructor(limit: ConcurrencyLimit, operation: string) {
    const settle = (outcome: unknown): void => {
      this.outcome = outcome;
    };
    try {
      const queued = limit.acquire(operation, this.client.signal);
      if (queued === undefined) settle('in');
      else queued.then(() => 'in').then(settle, settle);
    } catch (error) {
      settle(error);
    }
  }
}

const callers = (limit: ConcurrencyLimit, ...operations: string[]): Caller[] =>
  operations.map((operation) => new Caller(limit, operation));
const outcomesOf = (everyone: readonly Caller[]): unknown[] => everyone.map(({ outcome }) => outcome);

describe('ConcurrencyLimit', () => {
  const pass = useFakeTimers();

  it('D60 gives slots at once, then queues, then refuses for a second', async () => {
    const limit = new ConcurrencyLimit(settings);
    const outcomes = outcomesOf(callers(limit, 'a', 'b', 'a', 'b', 'a', 'a', 'b', 'a'));
    expect(outcomes.slice(0, 7)).toEqual(['in', 'in', 'in', 'in', 'waiting', 'waiting', 'waiting']);
    const causes = [{ what: 'no slot: the queue of calls is full' }];
    const refusal = { reason: 'saturated', causes, retryAfterMs: 1000 };
    expect(outcomes[7]).toMatchObject(refusal);
    expect([limit.inFlight, limit.queue.size]).toEqual([4, 3]);
    await pass(WAIT_MS);
  });

  it('D60 D78 serves in order, past clients that disconnected', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , , , first, second, third] = callers(limit, 'a', 'b', 'a', 'b', 'a', 'b', 'a');
    second?.client.abort(CLIENT_DISCONNECTED);
    expect(limit.queue.size).toBe(2);
    limit.release('a');
    await pass(0);
    const outcomes = [first, second, third].map((caller) => caller?.outcome);
    expect(outcomes).toEqual(['in', CLIENT_DISCONNECTED, 'waiting']);
    first?.client.abort(CLIENT_DISCONNECTED);
    limit.release('b');
    await pass(WAIT_MS);
    expect([first?.outcome, third?.outcome]).toEqual(['in', 'in']);
    expect([first, second, third].map((caller) => caller?.client.listeners)).toEqual([0, 0, 0]);
  });

  const SHARES = Object.entries({ 1: 1, 2: 2, 3: 3, 4: 3, 5: 4, 64: 48 });
  it.each(SHARES)('D60 of %s slots %i at most', async (slots, share) => {
    const maxConcurrent = Number(slots);
    const limit = new ConcurrencyLimit({ maxConcurrent, maxQueue: 100 });
    callers(limit, ...new Array<string>(maxConcurrent + 1).fill('slow'));
    expect(limit.inFlight).toBe(share);
    await pass(WAIT_MS);
    expect(limit.queue.size).toBe(0);
  });

  it('D60 calls of a full operation that wait block no other operation, before or behind them', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , , slow, other, later] = callers(limit, 'slow', 'slow', 'slow', 'slow', 'other', 'other');
    expect([slow, other, later].map((caller) => caller?.outcome)).toEqual(['waiting', 'in', 'waiting']);
    limit.release('other');
    await pass(0);
    expect([slow, later].map((caller) => caller?.outcome)).toEqual(['waiting', 'in']);
    limit.release('slow');
    await pass(0);
    expect(slow?.outcome).toBe('in');
  });
});
