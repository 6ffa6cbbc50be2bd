import fc from 'fast-check';
import { Client } from '../../test/support/call-policy';
import { useFakeTimers } from '../../test/support/fake-timers';
import { ConcurrencyLimit } from './concurrency-limit';
import { CLIENT_DISCONNECTED } from './upstream-failure';

/** One operation may hold three of the four slots. */
const settings = { maxConcurrent: 4, maxQueue: 3 };
const SHARE = 3;
const WAIT_MS = 1000;
const OPERATIONS = ['paged', 'by-id', 'details'] as const;

/** Follows one `acquire`: what came of it, and after how many milliseconds. */
class Caller {
  readonly client = new Client();
  outcome: unknown = 'waiting';
  waitedMs = 0;

  constructor(
    limit: ConcurrencyLimit,
    readonly operation: string,
    onSettled: (caller: Caller) => void = () => undefined,
  ) {
    const since = performance.now();
    const settle = (outcome: unknown): void => {
      this.outcome = outcome;
      this.waitedMs = performance.now() - since;
      onSettled(this);
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
    expect(limit).toMatchObject({ inFlight: 4, waiting: 3 });
    await pass(WAIT_MS);
  });

  it('D60 waits for a second', async () => {
    const limit = new ConcurrencyLimit({ maxConcurrent: 1, maxQueue: 2 });
    const [, waiting] = callers(limit, 'a', 'a');
    await pass(WAIT_MS - 1);
    expect([waiting?.outcome, limit.waiting]).toEqual(['waiting', 1]);
    await pass(1);
    expect(waiting?.outcome).toMatchObject({ causes: [{ what: 'no slot: none was released in time' }] });
    expect(limit).toMatchObject({ inFlight: 1, waiting: 0 });
  });

  it('D60 D78 serves in order, past clients that disconnected', async () => {
    const limit = new ConcurrencyLimit(settings);
    const [, , , , first, second, third] = callers(limit, 'a', 'b', 'a', 'b', 'a', 'b', 'a');
    second?.client.abort(CLIENT_DISCONNECTED);
    expect(limit.waiting).toBe(2);
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
    expect(limit.waiting).toBe(0);
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

  it('D60 keeps both bounds, serves in order, and settles each in time, under any interleaving', async () => {
    const operation = fc.constantFrom(...OPERATIONS);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('enter' as const), operation, n: fc.constant(0) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), operation, n: fc.constant(0) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), operation, n: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), operation, n: fc.nat(600) }) },
    );
    const run = async (steps: { kind: string; operation: string; n: number }[]): Promise<void> => {
      const limit = new ConcurrencyLimit(settings);
      const everyone: Caller[] = [];
      const held = new Map<string, number>(OPERATIONS.map((name) => [name, 0]));
      const heldBy = (name: string): number => held.get(name) ?? 0;
      const inFlight = (): number => [...held.values()].reduce((sum, count) => sum + count, 0);
      // The callers that wait, in the order of their arrival.
      const waiting = (): Caller[] => everyone.filter(({ outcome }) => outcome === 'waiting');
      const enter = (name: string): void => {
        const settled = ({ outcome, waitedMs }: Caller): void => {
          expect(waitedMs).toBeLessThanOrEqual(WAIT_MS);
          if (outcome === 'in') held.set(name, heldBy(name) + 1);
        };
        everyone.push(new Caller(limit, name, settled));
      };
      for (const { kind, operation: name, n } of steps) {
        const before = waiting();
        if (kind === 'enter') {
          enter(name);
        } else if (kind === 'release' && heldBy(name) > 0) {
          held.set(name, heldBy(name) - 1);
          const next = before.find((each) => inFlight() < settings.maxConcurrent && heldBy(each.operation) < SHARE);
          limit.release(name);
          await pass(0);
          // The slot goes to the caller that has waited longest, of those whose operation may hold one more.
          expect(before.filter(({ outcome }) => outcome === 'in')).toEqual(next === undefined ? [] : [next]);
        } else if (kind === 'disconnect') {
          everyone[n % Math.max(1, everyone.length)]?.client.abort(CLIENT_DISCONNECTED);
        } else if (kind === 'pass') {
          await pass(n);
        }
        await pass(0);
        expect([limit.inFlight, limit.waiting]).toEqual([inFlight(), waiting().length]);
        expect(inFlight()).toBeLessThanOrEqual(settings.maxConcurrent);
        for (const name of OPERATIONS) expect(heldBy(name)).toBeLessThanOrEqual(SHARE);
        const couldEnter = waiting().filter((each) => heldBy(each.operation) < SHARE);
        if (couldEnter.length > 0) expect(inFlight()).toBe(settings.maxConcurrent);
      }
      await pass(WAIT_MS);
      expect(limit.waiting).toBe(0);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run));
  });
});
