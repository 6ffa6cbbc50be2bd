import fc from 'fast-check';
import assert from 'node:assert';
import { POLICY_SETTINGS, spyingObserver } from '../../test/support/call-policy';
import { AbortEmitter } from '../common/abort-emitter';
import { CallPolicy, type Attempt, type CallPolicySettings } from './call-policy';
import { unreachable } from './http-failures';
import { UpstreamFailure } from './upstream-failure';

type Ending = 'answer' | 'retryable' | 'final' | 'dead' | 'bug' | 'hang' | 'stuck';

interface Step {
  ending: Ending;
  ms: number;
  retryAfterMs: number | undefined;
}

interface Caller {
  /** Since the caller before. */
  afterMs: number;
  leavesAfterMs: number | undefined;
}

interface Live {
  signal: AbortEmitter;
  probe: boolean;
}

/** Small numbers, so that every bound is met often. */
const settings: CallPolicySettings = {
  timeoutMs: 1000,
  attemptTimeoutMs: 400,
  maxAttempts: 3,
  maxConcurrent: 4,
  maxQueue: 3,
  breakerOpenMs: 100,
};

/** An external system that does what the script says, and checks what it may be asked. */
class ScriptedSystem {
  readonly live = new Set<Live>();
  readonly attemptsOf = new Map<string, number>();
  readonly faults: string[] = [];
  probes = 0;
  private made = 0;

  constructor(
    private readonly policy: CallPolicy,
    private readonly script: Step[],
  ) {}

  attempt(id: string): Attempt<string> {
    return async (signal, onNewConnection) => {
      const step = this.script[this.made++ % this.script.length];
      assert(step !== undefined);
      const own: Live = { signal, probe: !onNewConnection && this.policy.state.circuits.paged === 'half-open' };
      this.check(own, onNewConnection);
      this.live.add(own);
      this.attemptsOf.set(id, (this.attemptsOf.get(id) ?? 0) + 1);
      try {
        return await play(step, signal);
      } finally {
        this.live.delete(own);
      }
    };
  }

  private check(own: Live, isReplacement: boolean): void {
    const others = [...this.live];
    if (others.length >= settings.maxConcurrent) this.faults.push('too many in flight');
    // A replacement belongs to an attempt that was permitted.
    if (this.policy.state.circuits.paged === 'open' && !isReplacement) this.faults.push('called while open');
    if (own.probe && others.some(({ probe, signal }) => probe && !signal.aborted && signal !== own.signal)) {
      this.faults.push('too many probes');
    }
    if (own.probe) this.probes += 1;
  }
}

/** Ends as the step says; all but `stuck` settle at once when given up. */
function play({ ending, ms, retryAfterMs }: Step, signal: AbortEmitter): Promise<string> {
  return new Promise((resolve, reject) => {
    if (ending === 'stuck') return;
    const timer = setTimeout(() => {
      const traits = { retryable: ending !== 'final', countsAgainstCircuit: ending !== 'final', retryAfterMs };
      if (ending === 'answer') resolve('answer');
      else if (ending === 'bug') reject(new TypeError('bug'));
      else if (ending === 'dead') reject(unreachable(true));
      else if (ending !== 'hang') reject(new UpstreamFailure('upstream-error', ending, traits));
    }, ms);
    signal.once('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });
}

interface Seen {
  answer?: string;
  tookMs?: number;
  client: AbortEmitter;
}

async function playCallers(policy: CallPolicy, system: ScriptedSystem, callers: Caller[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const [index, { afterMs, leavesAfterMs }] of callers.entries()) {
    await jest.advanceTimersByTimeAsync(afterMs);
    const client = new AbortEmitter();
    const since = performance.now();
    const own: Seen = { client };
    const settle = (answer: string): void => {
      Object.assign(own, { answer, tookMs: performance.now() - since });
    };
    policy.execute('paged', system.attempt(String(index)), client).then(settle, (error: unknown) => {
      settle(error instanceof UpstreamFailure ? error.reason : (error as Error).name);
    });
    if (leavesAfterMs !== undefined) setTimeout(() => { client.abort(); }, leavesAfterMs); // prettier-ignore
    seen.push(own);
  }
  return seen;
}

const OUTCOMES = [
  'answer',
  'upstream-error',
  'upstream-timeout',
  'circuit-open',
  'saturated',
  'ClientDisconnectedError',
  'TypeError',
  'upstream-unreachable',
];

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('CallPolicy under any script', () => {
  const endings = (...all: Ending[]): fc.Arbitrary<Step> =>
    fc.record({
      ending: fc.constantFrom(...all),
      ms: fc.oneof(fc.nat(60), fc.nat(500)),
      retryAfterMs: fc.option(fc.constantFrom(0, 50, 900, 1e6, 2 ** 40, Infinity), { nil: undefined, freq: 4 }),
    });
  const caller = fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(300)),
    leavesAfterMs: fc.option(fc.nat(600), { nil: undefined, freq: 2 }),
  });

  const run = async (script: Step[], callers: Caller[], random: number, mayStick: boolean): Promise<number> => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const policy = new CallPolicy(settings, spyingObserver());
    const system = new ScriptedSystem(policy, script);
    const seen = await playCallers(policy, system, callers);
    await jest.advanceTimersByTimeAsync(settings.timeoutMs);
    expect(system.faults).toEqual([]);
    for (const { answer, tookMs, client } of seen) {
      expect(OUTCOMES).toContain(answer);
      expect(tookMs).toBeLessThanOrEqual(settings.timeoutMs);
      expect(client.listenerCount('abort')).toBe(0);
    }
    expect(Math.max(0, ...system.attemptsOf.values())).toBeLessThanOrEqual(settings.maxAttempts + 1);
    expect(policy.state).toMatchObject({ inFlight: system.live.size, waiting: 0 });
    if (!mayStick) {
      expect(system.live.size).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
    }
    await jest.advanceTimersByTimeAsync(settings.attemptTimeoutMs);
    expect(jest.getTimerCount()).toBe(0);
    return system.probes;
  };
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('keeps its promises with attempts that end when aborted', async () => {
    let probes = 0;
    const script = fc.array(endings('answer', 'retryable', 'retryable', 'final', 'dead', 'bug', 'hang'), {
      minLength: 1,
    });
    const callers = fc.array(caller, { minLength: 40, maxLength: 80 });
    const property = fc.asyncProperty(script, callers, random, async (...args) => {
      probes += await run(...args, false);
    });
    await fc.assert(property);
    expect(probes).toBeGreaterThan(0);
  });

  it('keeps its promises, but for the places they hold, with attempts that never settle', async () => {
    const script = fc.array(endings('answer', 'retryable', 'stuck', 'hang'), { minLength: 1 });
    const property = fc.asyncProperty(script, fc.array(caller, { maxLength: 40 }), random, async (...args) => {
      await run(...args, true);
    });
    await fc.assert(property);
  });
});

describe('CallPolicy, over time', () => {
  const fail = (countsAgainstCircuit = true): UpstreamFailure =>
    new UpstreamFailure('upstream-error', 'status 500', { retryable: true, countsAgainstCircuit });

  it.each([5, 50, 500])('sends at most 1.2 attempts per call when every call fails (%d calls/s)', async (perSecond) => {
    const policy = new CallPolicy(POLICY_SETTINGS, spyingObserver());
    const seconds = 6000 / perSecond + 30;
    let calls = 0;
    let attempts = 0;
    while (calls < seconds * perSecond) {
      calls += 1;
      policy
        .execute('paged', () => {
          attempts += 1;
          // The circuit stays closed.
          return Promise.reject(fail(false));
        })
        .catch(() => undefined);
      await jest.advanceTimersByTimeAsync(1000 / perSecond);
    }
    expect(attempts / calls).toBeGreaterThan(1.15);
    expect(attempts / calls).toBeLessThanOrEqual(1.2);
  });

  it('sends next to nothing while the external system is down, and answers in full within two open times of recovery', async () => {
    const policy = new CallPolicy(POLICY_SETTINGS, spyingObserver());
    let attempts = 0;
    let down = true;
    const answers: boolean[] = [];
    const call = (): void => {
      policy
        .execute('paged', async () => {
          attempts += 1;
          await new Promise((resolve) => setTimeout(resolve, 20));
          if (down) throw fail();
        })
        .then(
          () => answers.push(true),
          () => answers.push(false),
        );
    };
    const traffic = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 10) {
        call();
        await jest.advanceTimersByTimeAsync(10);
      }
    };
    await traffic(60_000);
    expect(attempts).toBeLessThan(60);
    down = false;
    await traffic(2 * 60_000 * 1.2);
    answers.length = 0;
    await traffic(1000);
    expect(answers.length).toBeGreaterThan(90);
    expect(answers.every(Boolean)).toBe(true);
  });
});
