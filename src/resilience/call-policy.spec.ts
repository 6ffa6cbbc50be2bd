import { performance as nodePerformance } from 'node:perf_hooks';
import { Client, failure, hang, later, POLICY_SETTINGS, script, TestPolicy } from '../../test/support/call-policy';
import { causeOf } from '../../test/support/units';
import type { Attempt } from './attempt';
import { CLIENT_DISCONNECTED, connectionLost, noConnection, UpstreamFailure, wrongShape } from './upstream-failure';

const tested = new TestPolicy();
const { pass, configure, call, timesOf, fail } = tested;

const BUG = new TypeError('bug');
const USELESS = wrongShape('useless');

describe('CallPolicy', () => {
  it('returns what the attempt returns, and reports it', async () => {
    const result = call(() => later(30, 'value'));
    await pass(0);
    expect(tested.policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 1, waiting: 0 });
    await pass(30);
    expect(result.value).toBe('value');
    expect(tested.policy.state.inFlight).toBe(0);
    expect(tested.observer.attemptSettled.mock.calls).toEqual([['success', 30]]);
    expect([tested.observer.queued, tested.observer.event].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it.each<[string, unknown, string, () => Promise<never>]>([
    ['an error of ours', BUG, 'internal', () => Promise.reject(BUG)],
    ['no error', undefined, 'internal', jest.fn().mockRejectedValue(undefined)],
    ['D57 a response of no use', USELESS, 'bad-reply', () => Promise.reject(USELESS)],
  ])('%s is passed on, not retried, and counts neither way', async (_, error, outcome, attempt) => {
    for (let time = 0; time < 30; time += 1) {
      await expect(tested.policy.execute('paged', (call) => call.request(attempt))).rejects.toBe(error);
    }
    expect(tested.policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
    expect(tested.observer.attemptSettled.mock.calls).toEqual(new Array(30).fill([outcome, 0]));
    await fail();
    expect(tested.policy.state.circuits.paged).toBe('open');
  });
});

describe('CallPolicy, deadlines', () => {
  it('aborts an attempt at its deadline, gives its slot back, ignores its late result, and makes another', async () => {
    const attempt = script('second').mockImplementationOnce(() => later(3000));
    const result = call(attempt);
    await pass(1999);
    expect([attempt.mock.lastCall?.[0].aborted, tested.policy.state.inFlight]).toEqual([false, 1]);
    await pass(1);
    expect([attempt.mock.lastCall?.[0].aborted, tested.policy.state.inFlight]).toEqual([true, 0]);
    await pass(50);
    expect(result.value).toBe('second');
    await pass(1000);
    const settled = tested.observer.attemptSettled.mock.calls;
    expect(settled.map(String)).toEqual(['upstream-timeout,2000', 'success,0']);
  });

  it.each([
    [1000, 0],
    [2050, 0],
    [2051, 1],
  ])('D26 attempts and waits fit into a deadline of %d ms: %d retries', async (timeoutMs, retries) => {
    configure({ timeoutMs });
    const result = call(hang);
    await pass(timeoutMs);
    expect(result.error).toMatchObject({ reason: 'upstream-timeout' });
    expect(timesOf('retried')).toBe(retries);
  });
});

describe('D57 CallPolicy, time-outs', () => {
  const ATTEMPT = '2000 ms';
  const REST = 'the 1000 ms of the call';
  it.each<[Attempt['waitsFor'], timeoutMs: number, busyMs: number, message: string, counts: boolean]>([
    ['reading', 5000, 0, `too many large responses to read this one within ${ATTEMPT}`, false],
    ['processing', 5000, 0, `the response arrived, and was not processed within ${ATTEMPT}`, false],
    ['rest', 5000, 999, `response incomplete after ${ATTEMPT}`, true],
    ['rest', 5000, 1000, `response incomplete after ${ATTEMPT}`, false],
    ['access token', 5000, 2000, `no access token within ${ATTEMPT}`, true],
    ['response', 5000, 2000, `no response within ${ATTEMPT}`, true],
    [{ phase: 'TLS handshake' }, 5000, 2000, `no TLS handshake within ${ATTEMPT}`, true],
    ['rest', 1000, 499, `response incomplete after ${REST}`, true],
    ['response', 1000, 1000, `no response within ${REST}`, true],
  ])('that waits for %j, within %d ms, of which we were busy for %d: %s', async (...row) => {
    const [waitsFor, timeoutMs, active, message, counts] = row;
    configure({ maxAttempts: counts ? 1 : 3, timeoutMs });
    jest.spyOn(nodePerformance, 'eventLoopUtilization').mockReturnValue({ active, idle: 0, utilization: 0 });
    const attempt = jest.fn((under: Attempt) => {
      under.waitsFor = waitsFor;
      return hang(under);
    });
    const results = Array.from({ length: 20 }, () => call(attempt));
    await pass(5000);
    expect(results.map(({ error }) => causeOf(error))).toEqual(new Array(20).fill(`time-out: ${message}`));
    // A time-out that does not count for the circuit is not retried, although three attempts are allowed.
    expect(attempt).toHaveBeenCalledTimes(20);
    expect(tested.policy.state.circuits.paged).toBe(counts ? 'open' : 'closed');
  });
});

describe('CallPolicy, retries', () => {
  it('makes up to three attempts, with growing waits between', async () => {
    const attempt = script(failure(), failure(), failure({}, 'the last'));
    const result = call(attempt);
    await pass(5000);
    expect(result.error).toMatchObject({ causes: [{ what: 'the last' }] });
    const [first = 0] = attempt.times;
    expect(attempt.times.map((time) => time - first)).toEqual([0, 50, 150]);
    expect(timesOf('retried')).toBe(2);
  });

  it.each([5000, 2 ** 31, Infinity, NaN])('fails at once when it would have to wait %d ms', async (retryAfterMs) => {
    const attempt = script(failure({ retryAfterMs }), 'never');
    await expect(tested.policy.execute('paged', (call) => call.request(attempt))).rejects.toMatchObject({
      retryAfterMs,
    });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('stops retrying when the budget is spent', async () => {
    const attempt = script(failure({ countsAgainstCircuit: false }));
    const results = Array.from({ length: 100 }, () => call(attempt));
    await pass(1000);
    expect([attempt.mock.calls.length, timesOf('retried')]).toEqual([120, 20]);
    expect(results.every(({ error }) => error instanceof UpstreamFailure)).toBe(true);
  });

  it('takes nothing of the budget for a retry that would come too late', async () => {
    for (let failed = 0; failed < 3; failed += 1) {
      const result = call(script(failure({ retryAfterMs: 5000 })));
      await pass(0);
      expect(result.error).toBeInstanceOf(UpstreamFailure);
    }
    const retried = call(script(failure(), 'retried'));
    await pass(1000);
    expect(retried.value).toBe('retried');
  });

  it('makes no retry that the circuit would refuse', async () => {
    await fail(19);
    const opening = call(script(failure({}, 'its own'), 'never'));
    await pass(0);
    expect(opening.error).toMatchObject({ causes: [{ what: 'its own' }] });
    expect(timesOf('retried')).toBe(0);
  });

  it('makes no retry where the circuit has opened before it', async () => {
    const retried = call(script(failure({}, 'its own'), 'never'));
    await pass(0);
    await fail();
    await pass(50);
    expect(retried.error).toMatchObject({ reason: 'circuit-open' });
    expect(tested.observer.event).toHaveBeenLastCalledWith('refused-circuit-open');
  });
});

describe('CallPolicy, lost connections', () => {
  it('D61 makes the first attempt once more at once, on a new connection, uncounted', async () => {
    configure({ maxAttempts: 1 });
    for (let time = 0; time < 30; time += 1) {
      const attempt = script(connectionLost('ECONNRESET'), 'second');
      const seen: boolean[] = [];
      const result = call((under) => {
        seen.push(under.onNewConnection);
        return attempt(under);
      });
      await pass(0);
      expect([result.value, seen]).toEqual(['second', [false, true]]);
    }
    expect(tested.policy.state.circuits.paged).toBe('closed');
    expect(timesOf('connection-replaced')).toBe(30);
    expect(tested.observer.attemptSettled.mock.calls).toEqual(new Array(30).fill(['success', 0]));
  });

  it.each([
    ['the second time', [connectionLost('ECONNRESET'), connectionLost('ECONNRESET'), 'third'], 2],
    ['one that was refused', [noConnection('ECONNREFUSED'), 'second'], 1],
    ['a retry', [failure(), connectionLost('ECONNRESET'), 'third'], 1],
  ])('D61 %s is an ordinary failure', async (_, outcomes, callsBefore) => {
    const attempt = script(...outcomes);
    const result = call(attempt);
    await pass(0);
    expect(attempt).toHaveBeenCalledTimes(callsBefore);
    await pass(1000);
    expect(result.value).toBe(outcomes.at(-1));
    expect(attempt).toHaveBeenCalledTimes(outcomes.length);
    // Only the repetition that was made at once is one on a new connection.
    expect(timesOf('connection-replaced')).toBe(callsBefore - 1);
  });

  it('D61 one that the policy has aborted already is not made again', async () => {
    configure({ maxAttempts: 1 });
    const lost = (): Promise<never> => Promise.reject(connectionLost('ECONNRESET'));
    const attempt = jest.fn((under: Attempt) => hang(under).catch(lost));
    const result = call(attempt);
    await pass(POLICY_SETTINGS.attemptTimeoutMs);
    expect(result.error).toMatchObject({ reason: 'upstream-timeout' });
    expect([attempt.mock.calls.length, timesOf('connection-replaced')]).toEqual([1, 0]);
  });
});

describe('CallPolicy, refusals', () => {
  it('D60 waits for a slot for a second at most', async () => {
    configure({ maxConcurrent: 1 });
    await pass(1);
    const first = call(hang);
    const second = call(script('never'));
    await pass(1000);
    expect(second.error).toMatchObject({
      reason: 'saturated',
      causes: [{ what: 'no slot: none was released in time' }],
    });
    expect([tested.observer.event.mock.calls, tested.observer.queued.mock.calls]).toEqual([
      [['refused-saturated']],
      [[1000]],
    ]);
    const third = call(script('third'));
    await pass(1000);
    expect(third.value).toBe('third');
    await pass(3000);
    expect(first.error).toMatchObject({ reason: 'upstream-timeout' });
  });

  it('D60 a call that gets its slot at its deadline makes no attempt', async () => {
    configure({ maxConcurrent: 1, maxAttempts: 1, timeoutMs: 500 });
    call(() => later(499));
    const attempt = jest.fn();
    const second = call(attempt);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 500);
    await pass(499);
    expect(second.error).toMatchObject({ reason: 'upstream-timeout' });
    expect(attempt).not.toHaveBeenCalled();
  });

  it('D33 a call that the circuit refuses waits for no slot', async () => {
    configure({ maxConcurrent: 1 });
    await fail();
    const holder = tested.policy.execute('by-id', (call) => call.request(() => later(500)));
    const refused = call(script('never'));
    await pass(0);
    expect(refused.error).toMatchObject({ reason: 'circuit-open' });
    await pass(500);
    await holder;
  });

  it('D33 the circuit may open during the wait for a slot, which is then free for others', async () => {
    configure({ maxConcurrent: 1, maxAttempts: 1 });
    const results = Array.from({ length: 25 }, () => call(script(failure())));
    await pass(0);
    const reasons = results.map(({ error }) => (error as UpstreamFailure).reason);
    expect(reasons).toEqual([...Array<string>(20).fill('upstream-error'), ...Array<string>(5).fill('circuit-open')]);
    expect(tested.policy.state).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

// All get one error: those of their own would keep the objects of their call stacks in memory (D59).
describe('D78 CallPolicy, clients that disconnect', () => {
  it('ends the attempt at once, repeats nothing, and counts neither way', async () => {
    const attempt = jest.fn(hang);
    for (let time = 0; time < 30; time += 1) {
      const client = new Client();
      const result = call(attempt, client);
      await pass(0);
      client.abort();
      await pass(0);
      expect(result.error).toBe(CLIENT_DISCONNECTED);
      expect(client.listeners).toBe(0);
    }
    await pass(5000);
    expect(attempt).toHaveBeenCalledTimes(30);
    expect(tested.policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
    expect(tested.observer.attemptSettled).toHaveBeenCalledWith('caller-left', 0);
  });

  it('ends the wait for a retry, and for a slot; one that is gone already makes no attempt', async () => {
    configure({ maxConcurrent: 1 });
    const client = new Client();
    const [failed, never] = [script(failure()), script('never')];
    const retrying = call(failed, client);
    await pass(0);
    const holder = call(hang);
    const waiting = call(never, client);
    await pass(0);
    client.abort();
    const late = call(never, client);
    await pass(0);
    for (const { error } of [retrying, waiting, late]) expect(error).toBe(CLIENT_DISCONNECTED);
    expect([failed.mock.calls.length, never.mock.calls.length]).toEqual([1, 0]);
    await pass(5000);
    expect(holder.error).toBeDefined();
  });

  it('makes no attempt for one that disconnects as it gets its slot', async () => {
    configure({ maxConcurrent: 1 });
    const client = new Client();
    tested.observer.queued.mockImplementation(() => {
      client.abort();
    });
    call(script('first'));
    const never = script('never');
    const waiting = call(never, client);
    await pass(0);
    expect(waiting.error).toBe(CLIENT_DISCONNECTED);
    expect([never.mock.calls.length, tested.policy.state.inFlight]).toEqual([0, 0]);
  });
});
