import assert from 'node:assert';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ClientDisconnectedError } from './client-disconnected.error';
import { type InFlightCall, SingleFlight } from './single-flight';

interface Work {
  flight: InFlightCall;
  resolve: (value: string) => void;
  reject: (error: Error) => void;
}

/** Starts flights that end when the test says so. */
class Airport {
  readonly flights = new SingleFlight(5000);
  readonly started: Work[] = [];

  run(key: string | undefined, caller?: AbortSignal): Promise<string> {
    const work = (flight: InFlightCall): Promise<string> =>
      new Promise((resolve, reject) => {
        this.started.push({ flight, resolve, reject });
      });
    return this.flights.run(key, work, caller);
  }

  get last(): Work {
    const last = this.started.at(-1);
    assert(last !== undefined);
    return last;
  }
}

describe('SingleFlight', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('makes one call for all who ask for the same while it is in flight', async () => {
    const airport = new Airport();
    const answers = Promise.all([airport.run('a'), airport.run('a'), airport.run('a')]);
    expect(airport.flights.has('a')).toBe(true);
    expect(airport.started).toHaveLength(1);
    airport.last.resolve('answer');
    await expect(answers).resolves.toEqual(['answer', 'answer', 'answer']);
    expect(airport.flights.has('a')).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('shares nothing between different keys, nor without a key', () => {
    const airport = new Airport();
    for (const key of ['a', 'b', undefined, undefined]) {
      void airport.run(key);
    }
    expect(airport.started).toHaveLength(4);
    expect(airport.flights.has(undefined)).toBe(false);
  });

  it('shares a failure with those who wait, and starts afresh for whoever comes later', async () => {
    const airport = new Airport();
    const failure = new Error('failed');
    const both = Promise.allSettled([airport.run('a'), airport.run('a')]);
    const retried = airport.run('a').catch(() => airport.run('a'));
    airport.last.reject(failure);
    await expect(both).resolves.toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ]);
    await jest.advanceTimersByTimeAsync(0);
    expect(airport.started).toHaveLength(2);
    airport.last.resolve('later');
    await expect(retried).resolves.toBe('later');
  });

  it('lets each waiter wait until its own deadline', async () => {
    const airport = new Airport();
    const first = jest.fn();
    const second = jest.fn();
    airport.run('a').catch(first);
    await jest.advanceTimersByTimeAsync(3000);
    airport.run('a').catch(second);
    expect(airport.last.flight.deadline).toBe(performance.now() + 5000);
    await jest.advanceTimersByTimeAsync(1999);
    expect(first).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(first.mock.calls).toEqual([
      [expect.objectContaining({ reason: 'upstream-timeout', message: 'the deadline of the call passed' })],
    ]);
    expect(airport.last.flight.cancellation.reason).toBeUndefined();
    await jest.advanceTimersByTimeAsync(3000);
    expect(second).toHaveBeenCalledTimes(1);
    expect(airport.last.flight.cancellation.reason).toMatchObject({ reason: 'upstream-timeout' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('lets a waiter leave by its own signal without touching the others', async () => {
    const airport = new Airport();
    const caller = new AbortController();
    const leaving = airport.run('a', caller.signal);
    const staying = airport.run('a', new AbortController().signal);
    caller.abort();
    await expect(leaving).rejects.toBeInstanceOf(ClientDisconnectedError);
    expect(airport.last.flight.cancellation.reason).toBeUndefined();
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(jest.getTimerCount()).toBe(1);
    airport.last.resolve('answer');
    await expect(staying).resolves.toBe('answer');
  });

  it('cancels the call when the last waiter leaves, and the next caller starts another at once', async () => {
    const airport = new Airport();
    const callers = [new AbortController(), new AbortController()] as const;
    const left = Promise.allSettled(callers.map(({ signal }) => airport.run('a', signal)));
    const { flight, resolve } = airport.last;
    const cancelled = jest.fn();
    flight.cancellation.listen(cancelled);
    callers[0].abort();
    expect(cancelled).not.toHaveBeenCalled();
    callers[1].abort();
    expect(cancelled.mock.calls).toEqual([[expect.any(ClientDisconnectedError)]]);
    const next = airport.run('a');
    expect(airport.started).toHaveLength(2);
    resolve('too late');
    await left;
    const joined = airport.run('a');
    expect(airport.started).toHaveLength(2);
    airport.last.resolve('answer');
    await expect(Promise.all([next, joined])).resolves.toEqual(['answer', 'answer']);
  });

  it('takes its listener off the signal of the caller when the call ends', async () => {
    const airport = new Airport();
    const { signal } = new AbortController();
    const answer = airport.run('a', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    airport.last.resolve('answer');
    await answer;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('hears a caller that leaves while the work is being started', async () => {
    const flights = new SingleFlight(5000);
    const caller = new AbortController();
    const seen: unknown[] = [];
    const answer = flights.run(
      'a',
      (flight) => {
        caller.abort();
        seen.push(flight.cancellation.reason);
        return Promise.resolve('answer');
      },
      caller.signal,
    );
    await expect(answer).rejects.toBeInstanceOf(ClientDisconnectedError);
    expect(seen).toEqual([expect.any(ClientDisconnectedError)]);
  });
});

describe('SingleFlight as a state machine', () => {
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('join' as const), key: fc.nat(1), n: fc.constant(0) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('abort' as const), key: fc.constant(0), n: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('resolve' as const, 'reject' as const),
        key: fc.constant(0),
        n: fc.nat(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), key: fc.constant(0), n: fc.nat(4000) }) },
  );

  interface Waiting {
    caller: AbortController;
    until: number;
    settled: string | undefined;
    expected: string | undefined;
  }
  interface Call extends Work {
    key: string;
    waiters: Waiting[];
    over: boolean;
  }

  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives every waiter its own outcome and cancels exactly when the last one leaves', async () => {
    const run = async (operations: { kind: string; key: number; n: number }[]): Promise<void> => {
      const flights = new SingleFlight(5000);
      const calls: Call[] = [];
      const everyone: Waiting[] = [];
      const waiting = (call: Call): Waiting[] => call.waiters.filter(({ expected }) => expected === undefined);
      const live = (): Call[] => calls.filter((call) => !call.over);
      const join = (key: string): void => {
        const own: Waiting = {
          caller: new AbortController(),
          until: performance.now() + 5000,
          settled: undefined,
          expected: undefined,
        };
        const before = live().find((call) => call.key === key);
        const started = calls.length;
        const answer = flights.run(
          key,
          (flight) =>
            new Promise<string>((resolve, reject) => {
              calls.push({ key, flight, resolve, reject, waiters: [], over: false });
            }),
          own.caller.signal,
        );
        expect(calls.length - started).toBe(before === undefined ? 1 : 0);
        (before ?? calls.at(-1))?.waiters.push(own);
        everyone.push(own);
        answer.then(
          (value) => (own.settled = value),
          (error: unknown) => (own.settled = (error as Error).name),
        );
      };
      const leave = (own: Waiting, as: string): void => {
        own.expected = as;
        for (const call of live()) {
          call.over = waiting(call).length === 0;
        }
      };
      const end = (call: Call | undefined, kind: string): void => {
        if (call === undefined) {
          return;
        }
        for (const own of waiting(call)) {
          own.expected = kind === 'resolve' ? 'answer' : 'TypeError';
        }
        call.over = true;
        if (kind === 'resolve') {
          call.resolve('answer');
        } else {
          call.reject(new TypeError('failed'));
        }
      };
      for (const { kind, key, n } of operations) {
        if (kind === 'join') {
          join(String(key));
        } else if (kind === 'abort') {
          const still = everyone.filter(({ expected }) => expected === undefined);
          const own = still[n % Math.max(1, still.length)];
          if (own !== undefined) {
            leave(own, 'ClientDisconnectedError');
            own.caller.abort();
          }
        } else if (kind === 'pass') {
          const now = performance.now() + n;
          for (const own of everyone.filter(({ expected, until }) => expected === undefined && until <= now)) {
            leave(own, 'UpstreamFailure');
          }
          await jest.advanceTimersByTimeAsync(n);
        } else {
          end(live()[n % Math.max(1, live().length)], kind);
        }
        for (const call of calls) {
          const abandoned = call.waiters.every(({ expected }) => /Disconnected|Upstream/.test(expected ?? ''));
          expect(call.flight.cancellation.reason !== undefined).toBe(abandoned);
        }
        await jest.advanceTimersByTimeAsync(0);
        expect(everyone.map(({ settled }) => settled)).toEqual(everyone.map(({ expected }) => expected));
      }
      live().forEach((call) => {
        end(call, 'resolve');
      });
      await jest.advanceTimersByTimeAsync(0);
      expect(jest.getTimerCount()).toBe(0);
      for (const { caller } of everyone) {
        expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 40 }), run));
  });
});
