import {
  Client,
  failure,
  hang,
  later,
  ok,
  type Outcome,
  script,
  TestPolicy,
  type TestResponse,
} from '../../test/support/call-policy';
import { causeOf } from '../../test/support/units';
import type { SendOnce } from './attempt';
import { backoff, type Call } from './call-policy';
import { connectionLost, wrongShape } from './upstream-failure';

const tested = new TestPolicy();
const { pass, configure, callOf, call, timesOf, fail } = tested;

const BUG = new TypeError('bug');
const USELESS = wrongShape('useless');
const throwing = (): never => {
  throw BUG;
};

describe('CallPolicy, calls with several requests', () => {
  const STATUS = { status: 503, headers: {} };
  /** Sends so many requests, with pauses between. */
  const requests =
    (count: number, send: SendOnce<TestResponse>, pauseMs = 0) =>
    async (call: Call): Promise<string> => {
      for (let sent = 1; sent <= count; sent += 1) {
        if (sent > 1 && pauseMs > 0) await later(pauseMs);
        await call.request(send);
      }
      return `${count} requests`;
    };

  const TIMED_OUT = { error: expect.objectContaining({ reason: 'upstream-timeout' }) };
  it.each([
    ['may take longer than an attempt', 3, 0, { value: '3 requests' }],
    ['have to end within the deadline of the call', 4, 0, TIMED_OUT],
    ['have their pauses beside the time of their attempts', 2, 1900, { value: '2 requests' }],
    ['have their pauses within the deadline of the call', 2, 3500, TIMED_OUT],
  ])('%s', async (_, count, pauseMs, outcome) => {
    configure({ maxAttempts: 1 });
    const result = callOf(requests(count, () => later(1500), pauseMs));
    await pass(5000);
    expect(result).toEqual(outcome);
    await pass(1000);
    expect(tested.policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
  });

  it('retry what failed, and send nothing else again', async () => {
    const send = script('a', failure(), 'b', STATUS, STATUS, 'c');
    const result = callOf(requests(3, send));
    await pass(5000);
    expect([result.value, send.mock.calls.length, timesOf('retried')]).toEqual(['3 requests', 6, 3]);
  });

  it('D60 hold a slot only while a request is under way', async () => {
    configure({ maxConcurrent: 1 });
    const first = callOf(requests(2, () => later(100), 500));
    await pass(200);
    const between = call(script('between'));
    await pass(0);
    expect([between.value, tested.policy.state.inFlight]).toEqual(['between', 0]);
    await pass(500);
    expect(first.value).toBe('2 requests');
  });

  it('D61 repeat one of them on a new connection, and no second', async () => {
    configure({ maxAttempts: 1 });
    const lost = connectionLost('ECONNRESET');
    const send = script('a', lost, 'b', lost, 'never');
    const result = callOf(requests(3, send));
    await pass(0);
    expect(result.error).toBe(lost);
    expect([send.mock.calls.length, timesOf('connection-replaced')]).toEqual([4, 1]);
  });

  it('send nothing more once the call has ended, whoever ended it', async () => {
    const send = script('a');
    const calls: Call[] = [];
    const kept = (use: (call: Call) => Promise<unknown>): Outcome =>
      callOf((call) => {
        calls.push(call);
        return use(call);
      });
    const results = [
      kept((call) => call.request(send)),
      kept(() => Promise.reject(BUG)),
      kept(() => new Promise(() => undefined)),
    ];
    await pass(5000);
    expect(results).toEqual([{ value: ok('a') }, { error: BUG }, TIMED_OUT]);
    expect(causeOf(results[2]?.error)).toBe('time-out: no result within the 5000 ms of the call');
    for (const call of calls) {
      await expect(call.request(send)).rejects.toBeDefined();
    }
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('end a request that the call no longer awaits, which counts neither way', async () => {
    const send = jest.fn(hang);
    const use = (call: Call): Promise<string> => {
      call.request(send).catch(() => undefined);
      return Promise.resolve('done');
    };
    const results = Array.from({ length: 20 }, () => callOf(use));
    await pass(0);
    expect(results).toEqual(new Array(20).fill({ value: 'done' }));
    expect(send.mock.calls.map(([{ aborted }]) => aborted)).toEqual(new Array(20).fill(true));
    expect(tested.policy.state).toEqual({ circuits: { paged: 'closed' }, inFlight: 0, waiting: 0 });
  });
});

describe('CallPolicy, statuses', () => {
  const answer = (status: number, headers = {}): TestResponse => ({ status, headers, data: status });

  it.each<[statuses: number[], attempts: number, outcome: string, state: string]>([
    [[408, 429, 500, 503, 599], 3, 'upstream-error', 'open'],
    [[200, 204, 206, 302, 400, 401, 403, 404, 410], 1, 'success', 'closed'],
  ])(
    'D57 each of %j is returned after %d attempts: %s, and the circuit is %s',
    async (statuses, attempts, outcome, state) => {
      for (const status of statuses) {
        configure();
        const send = script(answer(status));
        const result = call(send);
        await pass(5000);
        expect([result.value, send.mock.calls.length]).toEqual([status, attempts]);
        const outcomes = tested.observer.attemptSettled.mock.calls.map(([each]): unknown => each);
        expect(outcomes).toEqual(new Array(attempts).fill(outcome));
        expect(await openedBy(answer(status))).toBe(state);
      }
    },
  );

  /** The state of the circuit after twenty such responses, each without a retry. */
  async function openedBy(response: TestResponse): Promise<unknown> {
    configure({ maxAttempts: 1 });
    for (let time = 0; time < 20; time += 1) call(script(response));
    await pass(0);
    return tested.policy.state.circuits.paged;
  }

  it.each([429, 403])('D21 %d with Retry-After is a pause, whose end a call waits for', async (status) => {
    const send = script(answer(status, { 'retry-after': '2' }), 'behind it');
    const paused = call(send);
    await pass(0);
    const refused = call(script('never'));
    await pass(0);
    expect(refused.error).toMatchObject({ reason: 'circuit-open', retryAfterMs: 2000 });
    await pass(2000);
    expect([paused.value, tested.policy.state.circuits.paged]).toEqual(['behind it', 'closed']);
  });

  it('D21 a call sends no further request inside the pause of another one', async () => {
    const never = script('never');
    const first = callOf((call) => call.request(() => later(10)).then(() => call.request(never)));
    call(script(answer(429, { 'retry-after': '2' })));
    await pass(10);
    expect(first.error).toMatchObject({ reason: 'circuit-open', retryAfterMs: 1990 });
    expect(never).not.toHaveBeenCalled();
    await pass(5000);
  });

  it('D21 Retry-After of a 503 delays its own request only', async () => {
    const send = script(answer(503, { 'retry-after': '2' }), 'second');
    const delayed = call(send);
    await pass(1999);
    expect([delayed, await settled(call(script('other')))]).toEqual([{}, { value: 'other' }]);
    await pass(1);
    expect(delayed.value).toBe('second');
  });
});

async function settled(outcome: Outcome): Promise<Outcome> {
  await pass(0);
  return outcome;
}

describe('D57 CallPolicy, what a response was worth', () => {
  /** Opens the circuit, and waits until the next request is a probe. */
  async function untilProbe(): Promise<void> {
    configure({ breakerOpenMs: 100, maxAttempts: 1 });
    await fail();
    await pass(120);
    expect(tested.policy.state.circuits.paged).toBe('half-open');
  }
  const get = script('data');

  it.each<[string, (call: Call) => Promise<unknown>, string, string]>([
    ['return', (call) => call.request(get), 'closed', 'success'],
    ['useless', (call) => call.request(get).then(() => Promise.reject(USELESS)), 'half-open', 'bad-reply'],
    ['busy', (call) => call.request(get).then(() => Promise.reject(failure())), 'half-open', 'upstream-error'],
    ['a bug', (call) => call.request(get).then(throwing), 'half-open', 'internal'],
  ])('of a probe, by how its call ends: %s', async (_, use, state, outcome) => {
    await untilProbe();
    callOf(use);
    await pass(0);
    expect(tested.policy.state.circuits.paged).toBe(state);
    expect(tested.observer.attemptSettled.mock.lastCall).toEqual([outcome, 0]);
  });

  it('of a probe, by its call sending the next request, which the closed circuit lets through', async () => {
    await untilProbe();
    const result = callOf(async (call) => {
      await call.request(get);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(tested.policy.state.circuits.paged).toBe('half-open');
      return call.request(() => later(30));
    });
    await pass(45);
    expect(tested.policy.state.circuits.paged).toBe('closed');
    await pass(15);
    expect(result.value).toEqual(ok('late'));
    // The time of an attempt ends with its response.
    expect(tested.observer.attemptSettled.mock.calls.slice(-2)).toEqual([
      ['success', 0],
      ['success', 30],
    ]);
  });

  it('and of one whose call reads it for too long, nothing: the next request is a probe', async () => {
    await untilProbe();
    const client = new Client();
    callOf((call) => call.request(get).then(() => new Promise(() => undefined)), client);
    await pass(0);
    const refused = call(script('never'));
    await pass(0);
    expect(refused.error).toMatchObject({ reason: 'circuit-open' });
    client.abort();
    expect(await settled(call(script('probe')))).toEqual({ value: 'probe' });
  });
});

it.each<[retry: number, random: number, retryAfterMs: number | undefined, ms: number]>([
  [0, 0.5, undefined, 50],
  [1, 0.5, undefined, 100],
  [2, 0.5, undefined, 200],
  [4, 0.5, undefined, 500],
  [2000, 0.5, undefined, 500],
  [3, 0, undefined, 0],
  [0, 0.5, 3000, 3000],
  [0, 0.5, 0, 50],
  [0, 0.5, -1, 50],
])('backoff: retry %d waits a share of %d, at least %p: %d ms', (retry, random, retryAfterMs, ms) => {
  expect(backoff(retry, random, retryAfterMs)).toBe(ms);
});
