import { ConcurrencyLimit } from './concurrency-limit';
import { AbortEmitter } from './deadline';
import { ClientDisconnectedError } from './upstream-failure';

const settings = { maxConcurrent: 4, maxQueue: 3 };
const WAIT_MS = 1000;

/** Follows one `acquire`: what came of it. */
class Caller {
  readonly client = new AbortEmitter();
  outcome: unknown = 'waiting';

  constructor(limit: ConcurrencyLimit, operation: string) {
    const settle = (outcome: unknown): void => {
      this.outcome = outcome;
    };
    try {
      const queued = limit.acquire(operation, WAIT_MS, this.client);
      if (queued === undefined) settle('in');
      else queued.then(() => 'in').then(settle, settle);
    } catch (error) {
      settle(error);
    }
  }
}

const callers = (limit: ConcurrencyLimit, ...operations: string[]): Caller[] =>
  operations.map((operation) => new Caller(limit, operation));

describe('ConcurrencyLimit', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('D60 gives slots at once, then queues, then refuses for a second', async () => {
    const limit = new ConcurrencyLimit(settings);
    const outcomes = callers(limit, 'a', 'b', 'a', 'b', 'a', 'a', 'b', 'a').map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 7)).toEqual(['in', 'in', 'in', 'in', 'waiting', 'waiting', 'waiting']);
    const refusal = { reason: 'saturated', message: 'no slot: the queue of calls is full', retryAfterMs: 1000 };
    expect(outcomes[7]).toMatchObject(refusal);
    expect(limit).toMatchObject({ inFlight: 4, waiting: 3 });
    await jest.advanceTimersByTimeAsync(WAIT_MS);
  });

  it('D60 waits for a second, or for what is left of the deadline of the call', async () => {
    const limit = new ConcurrencyLimit({ maxConcurrent: 1, maxQueue: 2 });
    const waits = [5000, 5000, 400].map((leftMs) => limit.acquire('a', leftMs));
    const refused = Promise.all(
      waits.slice(1).map((wait) => expect(wait).rejects.toThrow('none was released in time')),
    );
    const waiting: number[] = [];
    for (const ms of [399, 1, 599, 1]) {
      await jest.advanceTimersByTimeAsync(ms);
      waiting.push(limit.waiting);
    }
    expect(waiting).toEqual([2, 1, 1, 0]);
    await refused;
  });

  it('D60 D78 serves in order, past clients that disconnected', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , , , first, second, third] = callers(limit, 'a', 'b', 'a', 'b', 'a', 'b', 'a');
    second?.client.abort();
    expect(limit.waiting).toBe(2);
    limit.release('a');
    await jest.advanceTimersByTimeAsync(0);
    const outcomes = [first, second, third].map((caller) => caller?.outcome);
    expect(outcomes).toEqual(['in', expect.any(ClientDisconnectedError), 'waiting']);
    first?.client.abort();
    limit.release('b');
    await jest.advanceTimersByTimeAsync(WAIT_MS);
    expect([first?.outcome, third?.outcome]).toEqual(['in', 'in']);
    expect([first, second, third].map((caller) => caller?.client.listenerCount('abort'))).toEqual([0, 0, 0]);
  });

  it.each(Object.entries({ 1: 1, 2: 2, 3: 3, 4: 3, 5: 4, 64: 48 }))(
    'D60 of %s slots %i at most',
    async (slots, share) => {
      const maxConcurrent = Number(slots);
      const limit = new ConcurrencyLimit({ maxConcurrent, maxQueue: 100 });
      callers(limit, ...new Array<string>(maxConcurrent + 1).fill('slow'));
      expect(limit.inFlight).toBe(share);
      await jest.advanceTimersByTimeAsync(WAIT_MS);
      expect(limit.waiting).toBe(0);
    },
  );

  it('D60 calls of a full operation that wait block no other operation, before or behind them', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , , slow, other, later] = callers(limit, 'slow', 'slow', 'slow', 'slow', 'other', 'other');
    expect([slow, other, later].map((caller) => caller?.outcome)).toEqual(['waiting', 'in', 'waiting']);
    limit.release('other');
    await jest.advanceTimersByTimeAsync(0);
    expect([slow, later].map((caller) => caller?.outcome)).toEqual(['waiting', 'in']);
    limit.release('slow');
    await jest.advanceTimersByTimeAsync(0);
    expect(slow?.outcome).toBe('in');
  });
});
