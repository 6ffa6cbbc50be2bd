import fc from 'fast-check';
import assert from 'node:assert';
import { Client, ok, spyingObserver, type TestResponse } from '../../test/support/call-policy';
import { useFakeTimers } from '../../test/support/fake-timers';
import type { Attempt, SendOnce } from './attempt';
import type { Call } from './call';
import { CallPolicy } from './call-policy';
import { brokenResponse, connectionLost, failedStatus, UpstreamFailure, wrongShape } from './upstream-failure';

/** Small numbers, so that every bound is met often. */
const TIMES = { timeoutMs: 1000, attemptTimeoutMs: 400, breakerOpenMs: 100 };
const SETTINGS = { ...TIMES, maxAttempts: 3, maxConcurrent: 4, maxQueue: 3 };

/** How an attempt ends by itself; `useless` is a 200 that the call cannot use. When it is aborted, it ends, too, unless it is `stuck`. */
type Ending = 'value' | 'useless' | 'status' | 'retryable' | 'pause' | 'final' | 'lost' | 'bug' | 'hang' | 'stuck';
interface Step {
  readonly ending: Ending;
  readonly ms: number;
  readonly retryAfterMs: number | undefined;
}

function play({ ending, ms, retryAfterMs }: Step, signal: Attempt): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    if (ending === 'stuck') return;
    const end = (): void => {
      if (ending === 'value' || ending === 'useless') resolve(ok(ending));
      else if (ending === 'retryable') reject(Object.assign(brokenResponse('retryable'), { retryAfterMs }));
      else if (ending === 'status') resolve({ status: 503, headers: {} });
      else if (ending === 'pause') reject(failedStatus(429, retryAfterMs));
      else if (ending === 'final') reject(wrongShape('final'));
      else if (ending === 'lost') reject(connectionLost('ECONNRESET'));
      else if (ending === 'bug') reject(new TypeError('bug'));
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });
}

/** An external system whose attempts end as its steps say, one step for each attempt. */
class ScriptedSystem {
  readonly live = new Set<Attempt>();
  readonly faults: string[] = [];
  probe: Attempt | undefined;
  private made = 0;
  private paused = { from: 0, until: 0 };

  constructor(
    private readonly policy: CallPolicy,
    private readonly steps: readonly Step[],
  ) {}

  readonly send: SendOnce<TestResponse> = async (signal) => {
    const step = this.steps[this.made++ % this.steps.length];
    assert(step !== undefined);
    const inFlight = [...this.live].filter(({ aborted }) => !aborted).length;
    if (inFlight >= SETTINGS.maxConcurrent) this.faults.push('too many in flight');
    // The second request of an attempt, on a new connection, has the permit of the first.
    if (!signal.onNewConnection) this.checkCircuit(signal);
    signal.throwIfRefused();
    const { from, until } = this.paused;
    if (from < performance.now() && performance.now() < until) this.faults.push('called during a pause');
    this.live.add(signal);
    const ended = play(step, signal).finally(() => this.live.delete(signal));
    ended.catch((error: unknown) => {
      // An attempt that was aborted has no failure that asks for a pause.
      const { pauseMs } = error as UpstreamFailure;
      const now = performance.now();
      if (pauseMs !== undefined && now + pauseMs > this.paused.until) this.paused = { from: now, until: now + pauseMs };
    });
    return ended;
  };

  private checkCircuit(signal: Attempt): void {
    const circuit = this.policy.state.circuits.paged;
    if (circuit === 'open') this.faults.push('called while open');
    if (circuit !== 'half-open') return;
    if (this.probe !== undefined && this.live.has(this.probe) && !this.probe.aborted) this.faults.push('two probes');
    this.probe = signal;
  }
}

interface Caller {
  readonly requests: number;
  /** Milliseconds between the call of the caller before and this one. */
  readonly afterMs: number;
  readonly leavesAfterMs: number | undefined;
}
interface Seen {
  readonly requests: number;
  readonly client: Client;
  readonly attempts: jest.Mock;
  outcome?: string;
  tookMs?: number;
}

function follow(policy: CallPolicy, system: ScriptedSystem, { requests, leavesAfterMs }: Caller): Seen {
  const seen: Seen = { requests, client: new Client(), attempts: jest.fn(system.send) };
  const since = performance.now();
  const settle = (outcome: string): void => {
    Object.assign(seen, { outcome, tookMs: performance.now() - since });
  };
  const use = async (call: Call): Promise<string> => {
    for (let sent = 0; sent < requests; sent += 1) {
      const { status, data } = await call.request(seen.attempts as SendOnce<TestResponse>);
      if (data !== 'value') throw status === 200 ? wrongShape('useless') : failedStatus(status);
    }
    return 'value';
  };
  policy.execute('paged', use, seen.client.signal).then(settle, (error: unknown) => {
    settle(error instanceof UpstreamFailure ? error.reason : (error as Error).name);
  });
  const leave = (): void => {
    seen.client.abort();
  };
  if (leavesAfterMs !== undefined) setTimeout(leave, leavesAfterMs);
  return seen;
}

const OUTCOMES = [
  ...['value', 'bad-reply', 'upstream-error', 'upstream-unreachable', 'upstream-timeout', 'circuit-open', 'saturated'],
  ...['ClientDisconnectedError', 'TypeError'],
];

describe('CallPolicy under any script', () => {
  const pass = useFakeTimers();

  it.each<[string, Ending[]]>([
    [
      'end when they are aborted',
      ['value', 'value', 'useless', 'status', 'retryable', 'pause', 'final', 'lost', 'bug', 'hang'],
    ],
    ['never settle, which give their slots back at their deadline', ['value', 'retryable', 'pause', 'stuck', 'hang']],
  ])('keeps its limits and deadlines with attempts that %s', async (_, endings) => {
    const step = fc.record({
      ending: fc.constantFrom(...endings),
      ms: fc.oneof(fc.nat(60), fc.nat(500)),
      retryAfterMs: fc.option(fc.constantFrom(0, 50, 900, 1e6, 2 ** 40, Infinity), { nil: undefined, freq: 4 }),
    });
    const caller = fc.record({
      requests: fc.integer({ min: 1, max: 3 }),
      afterMs: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(300)),
      leavesAfterMs: fc.option(fc.nat(600), { nil: undefined, freq: 2 }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const run = async (steps: Step[], callers: Caller[], random: number): Promise<void> => {
      jest.spyOn(Math, 'random').mockReturnValue(random);
      const policy = new CallPolicy(SETTINGS, spyingObserver());
      const system = new ScriptedSystem(policy, steps);
      const everyone: Seen[] = [];
      for (const caller of callers) {
        await pass(caller.afterMs);
        everyone.push(follow(policy, system, caller));
      }
      await pass(SETTINGS.timeoutMs);
      expect(system.faults).toEqual([]);
      for (const { outcome, tookMs, client, attempts, requests } of everyone) {
        expect(OUTCOMES).toContain(outcome);
        expect(tookMs).toBeLessThanOrEqual(SETTINGS.timeoutMs);
        expect(client.listeners).toBe(0);
        expect(attempts.mock.calls.length).toBeLessThanOrEqual(requests * SETTINGS.maxAttempts + 1);
      }
      expect(policy.state).toMatchObject({ inFlight: 0, waiting: 0 });
      if (!endings.includes('stuck')) expect(system.live.size).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
    };
    const [steps, everyone] = [fc.array(step, { minLength: 1 }), fc.array(caller, { maxLength: 80 })];
    await fc.assert(fc.asyncProperty(steps, everyone, random, run));
  });
});
