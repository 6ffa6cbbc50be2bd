import { POLICY_SETTINGS, spyingObserver } from '../../test/support/call-policy';
import { AbortEmitter } from '../common/abort-emitter';
import { CallPolicy, type Attempt, type CallPolicySettings, type PolicyEvent } from './call-policy';
import { unreachable, wrongShape } from './http-failures';
import { ClientDisconnectedError, UpstreamFailure, type FailureTraits } from './upstream-failure';

function observed(settings: Partial<CallPolicySettings> = {}): {
  policy: CallPolicy;
  observer: ReturnType<typeof spyingObserver>;
} {
  const observer = spyingObserver();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  return { policy: new CallPolicy({ ...POLICY_SETTINGS, ...settings }, observer), observer };
}

const timesOf = ({ event }: ReturnType<typeof spyingObserver>, name: PolicyEvent): number =>
  event.mock.calls.filter(([each]) => each === name).length;

function failure(traits: FailureTraits = {}, message = 'status 503'): UpstreamFailure {
  return new UpstreamFailure('upstream-error', message, { retryable: true, countsAgainstCircuit: true, ...traits });
}

const BUG = new TypeError('bug');

type Script = jest.Mock<Promise<string>, Parameters<Attempt<string>>> & { times: number[] };

/** An attempt that plays one outcome after the other, the last one for ever, and remembers when it was made. */
function script(...outcomes: (string | Error)[]): Script {
  const times: number[] = [];
  const attempt = jest.fn<Promise<string>, Parameters<Attempt<string>>>(() => {
    const outcome = outcomes[Math.min(times.push(performance.now()), outcomes.length) - 1];
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(String(outcome));
  });
  return Object.assign(attempt, { times });
}

/** Never responds; settles as soon as it is aborted. */
const hang: Attempt<never> = (signal) =>
  new Promise((_, reject) => {
    signal.once('abort', () => {
      reject(new Error('aborted'));
    });
  });

interface Outcome {
  value?: unknown;
  error?: unknown;
  at?: number;
}

function outcomeOf(result: Promise<unknown>): Outcome {
  const outcome: Outcome = {};
  result.then(
    (value) => Object.assign(outcome, { value, at: performance.now() }),
    (error: unknown) => Object.assign(outcome, { error, at: performance.now() }),
  );
  return outcome;
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

/** Fails often enough to open the circuit. */
async function trip(policy: CallPolicy, operation = 'paged'): Promise<void> {
  for (let call = 0; call < 20; call += 1) {
    await policy.execute(operation, script(failure({ retryable: false }))).catch(() => undefined);
  }
  expect(policy.state.circuits[operation]).toBe('open');
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('CallPolicy', () => {
  it('returns what the attempt returns, and reports it', async () => {
    const { policy, observer } = observed();
    const result = outcomeOf(policy.execute('paged', () => new Promise((resolve) => setTimeout(resolve, 30, 'value'))));
    await pass(0);
    expect(policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 1, waiting: 0 });
    await pass(30);
    expect(result.value).toBe('value');
    expect(policy.state.inFlight).toBe(0);
    expect(observer.attemptSettled.mock.calls).toEqual([['success', 30]]);
    expect([observer.queued, observer.event].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it.each<[string, () => Promise<string>]>([
    ['rejects with', () => Promise.reject(BUG)],
    ['throws', () => { throw BUG; }], // prettier-ignore
  ])('passes on what an attempt %s, unchanged: it is no failure of the upstream', async (_, attempt) => {
    const { policy, observer } = observed();
    for (let call = 0; call < 30; call += 1) await expect(policy.execute('paged', attempt)).rejects.toBe(BUG);
    expect(policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
    expect(observer.attemptSettled).toHaveBeenCalledTimes(30);
    expect(observer.attemptSettled).toHaveBeenCalledWith('internal', 0);
  });

  it('D57 does not retry a response of no use, and counts it neither way', async () => {
    const { policy } = observed();
    const attempt = script(wrongShape('wrong'));
    for (let call = 0; call < 30; call += 1) await policy.execute('paged', attempt).catch(() => undefined);
    expect(attempt).toHaveBeenCalledTimes(30);
    expect(policy.state.circuits.paged).toBe('closed');
  });
});

describe('CallPolicy, deadlines', () => {
  it('aborts an attempt at its deadline, and makes another', async () => {
    const { policy, observer } = observed();
    const signals: AbortEmitter[] = [];
    const result = outcomeOf(
      policy.execute('paged', (signal, onNewConnection) => {
        signals.push(signal);
        return signals.length === 1 ? hang(signal, onNewConnection) : Promise.resolve('second');
      }),
    );
    await pass(1999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await pass(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await pass(50);
    expect(result.value).toBe('second');
    expect(observer.attemptSettled.mock.calls).toEqual([
      ['upstream-timeout', 2000],
      ['success', 0],
    ]);
  });

  it('D26 an attempt has no more time than its call', async () => {
    const { policy, observer } = observed({ timeoutMs: 1000, attemptTimeoutMs: 2000 });
    const result = outcomeOf(policy.execute('paged', hang));
    await pass(1000);
    expect(result.error).toMatchObject({ reason: 'upstream-timeout' });
    expect(observer.attemptSettled.mock.calls).toEqual([['upstream-timeout', 1000]]);
  });

  it('ignores the late result of an attempt that passed its deadline, and holds its slot until then', async () => {
    const { policy, observer } = observed({ maxAttempts: 1 });
    const result = outcomeOf(
      policy.execute('paged', () => new Promise((resolve) => setTimeout(resolve, 3000, 'late'))),
    );
    await pass(2999);
    expect(result.error).toMatchObject({ reason: 'upstream-timeout' });
    expect(policy.state.inFlight).toBe(1);
    await pass(1);
    expect(policy.state.inFlight).toBe(0);
    expect(observer.attemptSettled.mock.calls).toEqual([['upstream-timeout', 2000]]);
  });

  it.each([
    [2050, 0],
    [2051, 1],
  ])('makes no retry that the deadline of the call leaves no time for (%d ms: %d)', async (timeoutMs, retries) => {
    const { policy, observer } = observed({ timeoutMs });
    const result = outcomeOf(policy.execute('paged', hang));
    await pass(timeoutMs);
    expect(result.error).toMatchObject({ reason: 'upstream-timeout' });
    expect(timesOf(observer, 'retried')).toBe(retries);
  });
});

describe('CallPolicy, retries', () => {
  it('makes up to three attempts, with growing waits between', async () => {
    const { policy, observer } = observed();
    const attempt = script(failure(), failure(), failure({}, 'the last'));
    const result = outcomeOf(policy.execute('paged', attempt));
    await pass(5000);
    expect(result.error).toMatchObject({ message: 'the last' });
    const [first = 0] = attempt.times;
    expect(attempt.times.map((time) => time - first)).toEqual([0, 50, 150]);
    expect(timesOf(observer, 'retried')).toBe(2);
  });

  it('aborts what a failed attempt left under way, and nothing of the one after it', async () => {
    const { policy } = observed();
    const attempt = script(failure(), 'second');
    const result = outcomeOf(policy.execute('paged', attempt));
    await pass(50);
    expect(result.value).toBe('second');
    expect(attempt.mock.calls.map(([{ aborted }]) => aborted)).toEqual([true, false]);
  });

  it('waits as long as the upstream asked for', async () => {
    const { policy } = observed();
    const attempt = script(failure({ retryAfterMs: 3000 }), 'second');
    const result = outcomeOf(policy.execute('paged', attempt));
    await pass(2999);
    expect(attempt).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(result.value).toBe('second');
  });

  it.each([5000, 2 ** 31, Infinity, NaN])('fails at once when it would have to wait %d ms', async (retryAfterMs) => {
    const { policy } = observed();
    const attempt = script(failure({ retryAfterMs }), 'never');
    await expect(policy.execute('paged', attempt)).rejects.toMatchObject({ retryAfterMs });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('stops retrying when the budget is spent', async () => {
    const { policy, observer } = observed({ maxAttempts: 2 });
    const attempt = script(failure({ countsAgainstCircuit: false }));
    const results = Array.from({ length: 100 }, () => outcomeOf(policy.execute('paged', attempt)));
    await pass(1000);
    expect([attempt.mock.calls.length, timesOf(observer, 'retried')]).toEqual([120, 20]);
    expect(results.every(({ error }) => error instanceof UpstreamFailure)).toBe(true);
  });

  it('makes no retry that the circuit would refuse, and throws the failure where it opened meanwhile', async () => {
    const { policy, observer } = observed();
    const retried = outcomeOf(policy.execute('paged', script(failure({}, 'its own'), 'never')));
    await pass(0);
    await trip(policy);
    await pass(50);
    expect(retried.error).toMatchObject({ message: 'its own' });
    expect(observer.event).toHaveBeenLastCalledWith('refused-circuit-open');
  });
});

describe('CallPolicy, lost connections', () => {
  it('D61 makes the first attempt once more at once, on a new connection, uncounted', async () => {
    const { policy, observer } = observed({ maxAttempts: 1 });
    for (let call = 0; call < 30; call += 1) {
      const attempt = script(unreachable(true), 'second');
      await expect(policy.execute('paged', attempt)).resolves.toBe('second');
      expect(attempt.mock.calls.map(([, onNewConnection]) => onNewConnection)).toEqual([false, true]);
    }
    expect(policy.state.circuits.paged).toBe('closed');
    expect(timesOf(observer, 'connection-replaced')).toBe(30);
    expect(observer.attemptSettled.mock.calls).toEqual(new Array(30).fill(['success', 0]));
  });

  it.each([
    ['the second time', [unreachable(true), unreachable(true), 'third'], 2],
    ['one that was refused', [unreachable(false), 'second'], 1],
    ['a retry', [failure(), unreachable(true), 'third'], 1],
  ])('D61 %s is an ordinary failure', async (_, outcomes, callsBefore) => {
    const { policy } = observed();
    const attempt = script(...outcomes);
    const result = outcomeOf(policy.execute('paged', attempt));
    await pass(0);
    expect(attempt).toHaveBeenCalledTimes(callsBefore);
    await pass(1000);
    expect(result.value).toBe(outcomes.at(-1));
    expect(attempt).toHaveBeenCalledTimes(outcomes.length);
  });
});

describe('CallPolicy, refusals', () => {
  it('D33 refuses at once while the circuit of the operation is open, and only then', async () => {
    const { policy, observer } = observed();
    await trip(policy);
    const attempt = script('never');
    await expect(policy.execute('paged', attempt)).rejects.toMatchObject({
      reason: 'circuit-open',
      retryAfterMs: 5000,
    });
    expect(attempt).not.toHaveBeenCalled();
    expect(observer.event.mock.calls).toEqual([['refused-circuit-open']]);
    await expect(policy.execute('details', script('other'))).resolves.toBe('other');
    await pass(5000);
    await expect(policy.execute('paged', script('probe'))).resolves.toBe('probe');
    expect(policy.state.circuits).toEqual({ paged: 'closed', details: 'closed' });
  });

  it('D60 waits for a slot for a second at most', async () => {
    const { policy, observer } = observed({ maxConcurrent: 1 });
    const first = outcomeOf(policy.execute('paged', hang));
    const second = outcomeOf(policy.execute('paged', script('never')));
    await pass(1000);
    expect(second.error).toMatchObject({ reason: 'saturated' });
    expect([observer.event.mock.calls, observer.queued.mock.calls]).toEqual([[['refused-saturated']], [[1000]]]);
    const third = outcomeOf(policy.execute('paged', script('third')));
    await pass(1000);
    expect(third.value).toBe('third');
    await pass(3000);
    expect(first.error).toMatchObject({ reason: 'upstream-timeout' });
  });

  it('D33 the circuit may open during the wait for a slot, which is then free for others', async () => {
    const { policy } = observed({ maxConcurrent: 1, maxAttempts: 1 });
    const results = Array.from({ length: 25 }, () => outcomeOf(policy.execute('paged', script(failure()))));
    await pass(0);
    const reasons = results.map(({ error }) => (error as UpstreamFailure).reason);
    expect(reasons).toEqual([...Array<string>(20).fill('upstream-error'), ...Array<string>(5).fill('circuit-open')]);
    expect(policy.state).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

describe('D78 CallPolicy, clients that disconnect', () => {
  it('ends the attempt at once, repeats nothing, and counts neither way', async () => {
    const { policy, observer } = observed();
    const attempt = jest.fn(hang);
    for (let call = 0; call < 30; call += 1) {
      const client = new AbortEmitter();
      const result = outcomeOf(policy.execute('paged', attempt, client));
      await pass(0);
      client.abort();
      await pass(0);
      expect(result.error).toBeInstanceOf(ClientDisconnectedError);
      expect(client.listenerCount('abort')).toBe(0);
    }
    await pass(5000);
    expect(attempt).toHaveBeenCalledTimes(30);
    expect(policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
    expect(observer.attemptSettled).toHaveBeenCalledWith('caller-left', 0);
  });

  it('ends the wait for a retry, and for a slot; one that is gone already makes no attempt', async () => {
    const { policy } = observed({ maxConcurrent: 1 });
    const client = new AbortEmitter();
    const [failed, never] = [script(failure()), script('never')];
    const retrying = outcomeOf(policy.execute('paged', failed, client));
    await pass(0);
    const holder = outcomeOf(policy.execute('paged', hang));
    const waiting = outcomeOf(policy.execute('paged', never, client));
    await pass(0);
    client.abort();
    const late = outcomeOf(policy.execute('paged', never, client));
    await pass(0);
    for (const { error } of [retrying, waiting, late]) expect(error).toBeInstanceOf(ClientDisconnectedError);
    expect([failed.mock.calls.length, never.mock.calls.length]).toEqual([1, 0]);
    await pass(5000);
    expect(holder.error).toBeDefined();
  });
});
