import fc from 'fast-check';
import assert from 'node:assert';
import { getEventListeners } from 'node:events';
import { SingleFlight, type InFlightCall } from './single-flight';
import { ClientDisconnectedError } from './upstream-failure';

interface Work {
  inFlight: InFlightCall;
  resolve: (value: string) => void;
  reject: (error: Error) => void;
}

/** Joins the call with this key, or starts one. */
function joinOrStart(
  calls: SingleFlight,
  key: string,
  work: (call: InFlightCall) => Promise<string>,
  caller?: AbortSignal,
): Promise<string> {
  return calls.find(key)?.join<string>(caller) ?? calls.start(key, work, caller);
}

/** Starts calls that end when the test says so. */
class Calls {
  readonly singleFlight = new SingleFlight(5000);
  readonly started: Work[] = [];

  run(key: string, caller?: AbortSignal): Promise<string> {
    const work = (inFlight: InFlightCall): Promise<string> =>
      new Promise((resolve, reject) => {
        this.started.push({ inFlight, resolve, reject });
      });
    return joinOrStart(this.singleFlight, key, work, caller);
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
    const calls = new Calls();
    const answers = Promise.all([calls.run('a'), calls.run('a'), calls.run('a')]);
    expect(calls.singleFlight.find('a')).toBeDefined();
    expect(calls.started).toHaveLength(1);
    calls.last.resolve('answer');
    await expect(answers).resolves.toEqual(['answer', 'answer', 'answer']);
    expect(calls.singleFlight.find('a')).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('shares nothing between different keys', () => {
    const calls = new Calls();
    void calls.run('a');
    void calls.run('b');
    expect(calls.started).toHaveLength(2);
  });

  it('shares a failure with those who wait, and starts afresh for whoever comes later', async () => {
    const calls = new Calls();
    const failure = new Error('failed');
    const both = Promise.allSettled([calls.run('a'), calls.run('a')]);
    const retried = calls.run('a').catch(() => calls.run('a'));
    calls.last.reject(failure);
    await expect(both).resolves.toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ]);
    await jest.advanceTimersByTimeAsync(0);
    expect(calls.started).toHaveLength(2);
    calls.last.resolve('later');
    await expect(retried).resolves.toBe('later');
  });

  it('lets each waiter wait until its own deadline', async () => {
    const calls = new Calls();
    const first = jest.fn();
    const second = jest.fn();
    calls.run('a').catch(first);
    await jest.advanceTimersByTimeAsync(3000);
    calls.run('a').catch(second);
    expect(calls.last.inFlight.deadline).toBe(performance.now() + 5000);
    await jest.advanceTimersByTimeAsync(1999);
    expect(first).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(first.mock.calls).toEqual([
      [expect.objectContaining({ reason: 'upstream-timeout', message: 'the deadline of the call passed' })],
    ]);
    expect(calls.last.inFlight.cancellation.reason).toBeUndefined();
    await jest.advanceTimersByTimeAsync(3000);
    expect(second).toHaveBeenCalledTimes(1);
    expect(calls.last.inFlight.cancellation.reason).toMatchObject({ reason: 'upstream-timeout' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('lets a waiter leave by its own signal without touching the others', async () => {
    const calls = new Calls();
    const caller = new AbortController();
    const leaving = calls.run('a', caller.signal);
    const staying = calls.run('a', new AbortController().signal);
    caller.abort();
    await expect(leaving).rejects.toBeInstanceOf(ClientDisconnectedError);
    expect(calls.last.inFlight.cancellation.reason).toBeUndefined();
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(jest.getTimerCount()).toBe(1);
    calls.last.resolve('answer');
    await expect(staying).resolves.toBe('answer');
  });

  it('cancels the call when the last waiter leaves, and the next caller starts another at once', async () => {
    const calls = new Calls();
    const callers = [new AbortController(), new AbortController()] as const;
    const left = Promise.allSettled(callers.map(({ signal }) => calls.run('a', signal)));
    const { inFlight, resolve } = calls.last;
    const cancelled = jest.fn();
    inFlight.cancellation.listen(cancelled);
    callers[0].abort();
    expect(cancelled).not.toHaveBeenCalled();
    callers[1].abort();
    expect(cancelled.mock.calls).toEqual([[expect.any(ClientDisconnectedError)]]);
    const next = calls.run('a');
    expect(calls.started).toHaveLength(2);
    resolve('too late');
    await left;
    const joined = calls.run('a');
    expect(calls.started).toHaveLength(2);
    calls.last.resolve('answer');
    await expect(Promise.all([next, joined])).resolves.toEqual(['answer', 'answer']);
  });

  it('takes its listener off the signal of the caller when the call ends', async () => {
    const calls = new Calls();
    const { signal } = new AbortController();
    const answer = calls.run('a', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    calls.last.resolve('answer');
    await answer;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('hears a caller that leaves while the work is being started', async () => {
    const singleFlight = new SingleFlight(5000);
    const caller = new AbortController();
    const seen: unknown[] = [];
    const answer = singleFlight.start(
      'a',
      (call) => {
        caller.abort();
        seen.push(call.cancellation.reason);
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
      const singleFlight = new SingleFlight(5000);
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
        const answer = joinOrStart(
          singleFlight,
          key,
          (inFlight) =>
            new Promise<string>((resolve, reject) => {
              calls.push({ key, inFlight, resolve, reject, waiters: [], over: false });
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
          expect(call.inFlight.cancellation.reason !== undefined).toBe(abandoned);
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
