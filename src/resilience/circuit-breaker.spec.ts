import fc from 'fast-check';
import {
  CircuitBreaker,
  type AttemptResult,
  type BreakerSettings,
  type CircuitState,
  type Permit,
} from './circuit-breaker';

const settings: BreakerSettings = {
  windowMs: 10_000,
  minimumCalls: 20,
  failureRatio: 0.5,
  openMs: 5000,
  maxOpenMs: 60_000,
  jitter: 0.2,
  maxProbes: 3,
};

function breaker(random = 0.5): { circuit: CircuitBreaker } {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  return { circuit: new CircuitBreaker(settings) };
}

function results(circuit: CircuitBreaker, result: AttemptResult, times: number, now: number): void {
  for (let time = 0; time < times; time += 1) {
    circuit.settle(circuit.acquire(now), result, now);
  }
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Opens a closed circuit at `now`. */
function trip(circuit: CircuitBreaker, now: number): void {
  results(circuit, 'failure', settings.minimumCalls, now);
}

/** Lets so many probes fail, each as soon as it is allowed; the open times before and after each, and the end of the last. */
function failProbes(circuit: CircuitBreaker, now: number, count: number): { times: number[]; now: number } {
  const times: number[] = [];
  for (;;) {
    const openMs = circuit.refusal(now).retryAfterMs ?? 0;
    times.push(openMs);
    now += openMs;
    if (times.length > count) return { times, now };
    results(circuit, 'failure', 1, now);
  }
}

describe('CircuitBreaker, closed', () => {
  it('opens when at least half of at least 20 results failed', () => {
    const { circuit } = breaker();
    results(circuit, 'success', 10, 0);
    results(circuit, 'failure', 9, 0);
    expect(circuit.state).toBe('closed');
    results(circuit, 'failure', 1, 0);
    expect(circuit.state).toBe('open');
    expect(circuit.state).toBe('open');
  });

  it('stays closed below 20 results', () => {
    const { circuit } = breaker();
    results(circuit, 'failure', 19, 0);
    expect(circuit.state).toBe('closed');
  });

  it('stays closed while less than half failed', () => {
    const { circuit } = breaker();
    results(circuit, 'success', 200, 0);
    results(circuit, 'failure', 199, 0);
    expect(circuit.state).toBe('closed');
  });

  it('forgets results when the window has passed', () => {
    const { circuit } = breaker();
    results(circuit, 'failure', 19, 0);
    results(circuit, 'failure', 19, 10_000);
    expect(circuit.state).toBe('closed');
  });

  it('does not count what says nothing about the external system', () => {
    const { circuit } = breaker();
    results(circuit, 'none', 100, 0);
    results(circuit, 'failure', 19, 0);
    expect(circuit.state).toBe('closed');
  });

  it('lets any number through at once', () => {
    const { circuit } = breaker();
    for (let call = 0; call < 1000; call += 1) {
      circuit.acquire(0);
    }
    expect(circuit.canAcquire(0)).toBe(true);
  });
});

describe('CircuitBreaker, open', () => {
  it('refuses until the open time has passed, and says how long that is', () => {
    const { circuit } = breaker();
    trip(circuit, 1000);
    expect(circuit.canAcquire(5999)).toBe(false);
    expect(thrownBy(() => circuit.acquire(2000))).toMatchObject({
      reason: 'circuit-open',
      message: 'the circuit is open',
      retryAfterMs: 4000,
    });
    expect(circuit.state).toBe('open');
    expect(circuit.canAcquire(6000)).toBe(true);
    expect(circuit.state).toBe('open');
    circuit.acquire(6000);
    expect(circuit.state).toBe('half-open');
  });

  it.each([
    [0, 4000],
    [0.5, 5000],
    [1, 6000],
  ])('is open for 5 s, give or take a fifth (random %d)', (random, openMs) => {
    const { circuit } = breaker(random);
    trip(circuit, 0);
    expect(circuit.refusal(0).retryAfterMs).toBe(openMs);
  });

  it('D51 is open twice as long each time a probe fails, up to a minute, and starts over once it has closed', () => {
    const { circuit } = breaker();
    trip(circuit, 0);
    const { times, now } = failProbes(circuit, 0, 5);
    expect(times).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    results(circuit, 'success', 3, now);
    trip(circuit, now);
    expect(circuit.refusal(now).retryAfterMs).toBe(5000);
    expect(circuit.state).toBe('open');
  });

  it('D51 starts over after one probe that succeeds', () => {
    const { circuit } = breaker();
    trip(circuit, 0);
    const { now } = failProbes(circuit, 0, 3);
    results(circuit, 'success', 1, now);
    expect(failProbes(circuit, now, 2).times.slice(1)).toEqual([5000, 10_000]);
  });

  it.each([
    [19_999, 20_000],
    [20_000, 5000],
    [3_600_000, 5000],
  ])('D51 starts over after an idle time of twice its length (10 s, idle for %d ms)', (idleMs, openMs) => {
    const { circuit } = breaker();
    trip(circuit, 0);
    const { now } = failProbes(circuit, 0, 1);
    const later = now - 10_000 + idleMs;
    results(circuit, 'failure', 1, later);
    expect(circuit.refusal(later).retryAfterMs).toBe(openMs);
  });

  it.each([
    [14_999, 10_000],
    [15_000, 5000],
  ])('D51 starts over after an idle time between two probes (at 5 s and %d ms)', (secondAt, openMs) => {
    const { circuit } = breaker();
    trip(circuit, 0);
    results(circuit, 'none', 1, 5000);
    results(circuit, 'failure', 1, secondAt);
    expect(circuit.refusal(secondAt).retryAfterMs).toBe(openMs);
  });

  it('D51 is not idle while a probe is in flight', () => {
    const { circuit } = breaker();
    trip(circuit, 0);
    const slow = circuit.acquire(5000);
    results(circuit, 'none', 1, 60_000);
    circuit.settle(slow, 'failure', 60_000);
    expect(circuit.refusal(60_000).retryAfterMs).toBe(10_000);
  });
});

describe('CircuitBreaker, half-open', () => {
  function halfOpen(): { circuit: CircuitBreaker; late: Permit } {
    const { circuit } = breaker();
    const late = circuit.acquire(0);
    trip(circuit, 0);
    return { circuit, late };
  }

  it('lets three probes through at once and refuses the rest without naming a time', () => {
    const { circuit } = halfOpen();
    for (let probe = 0; probe < 3; probe += 1) {
      circuit.acquire(5000);
    }
    expect(thrownBy(() => circuit.acquire(5000))).toMatchObject({ reason: 'circuit-open', retryAfterMs: undefined });
  });

  it('closes after three successes, not before', () => {
    const { circuit } = halfOpen();
    results(circuit, 'success', 2, 5000);
    expect(circuit.state).toBe('half-open');
    results(circuit, 'success', 1, 5000);
    expect(circuit.state).toBe('closed');
    for (let call = 0; call < 10; call += 1) {
      circuit.acquire(5000);
    }
    expect(circuit.canAcquire(5000)).toBe(true);
  });

  it('opens again at the first failure, also after two successes', () => {
    const { circuit } = halfOpen();
    results(circuit, 'success', 2, 5000);
    results(circuit, 'failure', 1, 5000);
    expect(circuit.state).toBe('open');
    expect(circuit.refusal(5000).retryAfterMs).toBe(5000);
  });

  it('needs its successes anew in every half-open period', () => {
    const { circuit } = halfOpen();
    results(circuit, 'success', 2, 5000);
    results(circuit, 'failure', 1, 5000);
    results(circuit, 'success', 2, 15_000);
    expect(circuit.state).toBe('half-open');
  });

  it('frees the place of a probe that showed nothing', () => {
    const { circuit } = halfOpen();
    const probes = [circuit.acquire(5000), circuit.acquire(5000), circuit.acquire(5000)] as const;
    circuit.settle(probes[0], 'none', 5000);
    expect(circuit.state).toBe('half-open');
    circuit.acquire(5000);
    expect(circuit.canAcquire(5000)).toBe(false);
  });

  it.each<AttemptResult>(['success', 'failure', 'none'])('ignores a late %s of an earlier period', (result) => {
    const { circuit, late } = halfOpen();
    for (let probe = 0; probe < 3; probe += 1) {
      circuit.acquire(5000);
    }
    circuit.settle(late, result, 5000);
    circuit.settle(late, result, 5000);
    circuit.settle(late, result, 5000);
    expect(circuit.state).toBe('half-open');
    expect(circuit.canAcquire(5000)).toBe(false);
  });

  it('counts a probe of an earlier half-open period for as long as it is in flight', () => {
    const { circuit } = halfOpen();
    const slow = circuit.acquire(5000);
    results(circuit, 'failure', 1, 5000);
    circuit.acquire(15_000);
    circuit.acquire(15_000);
    expect(circuit.canAcquire(15_000)).toBe(false);
    circuit.settle(slow, 'failure', 15_000);
    expect(circuit.state).toBe('half-open');
    circuit.acquire(15_000);
    expect(circuit.canAcquire(15_000)).toBe(false);
  });

  it('starts with an empty window after closing', () => {
    const { circuit } = breaker();
    trip(circuit, 0);
    results(circuit, 'success', 3, 5000);
    results(circuit, 'failure', 19, 5000);
    expect(circuit.state).toBe('closed');
    results(circuit, 'failure', 1, 5000);
    expect(circuit.state).toBe('open');
  });
});

/** The circuit as the rules tell it, with a list of results where the real one has buckets. */
class Model {
  state: CircuitState = 'closed';
  period = 0;
  nextOpenMs = 5000;
  openMs = 0;
  openUntil = 0;
  activeAt = 0;
  probes = 0;
  successes = 0;
  results: { bucket: number; failed: boolean }[] = [];

  enter(state: CircuitState): void {
    Object.assign(this, { state, period: this.period + 1, successes: 0, results: [] });
  }

  open(now: number, random: number): void {
    this.openMs = this.nextOpenMs * (1 + 0.2 * (2 * random - 1));
    this.nextOpenMs = Math.min(60_000, 2 * this.nextOpenMs);
    this.openUntil = now + this.openMs;
    this.activeAt = now;
    this.enter('open');
  }

  settle(result: AttemptResult, now: number, random: number): void {
    if (result === 'none') {
      return;
    }
    if (this.state === 'half-open') {
      this.successes += 1;
      if (result === 'failure') {
        this.open(now, random);
      } else {
        this.nextOpenMs = 5000;
        if (this.successes === 3) this.enter('closed');
      }
      return;
    }
    const bucket = Math.floor(now / 1000);
    this.results.push({ bucket, failed: result === 'failure' });
    const window = this.results.filter((result) => result.bucket > bucket - 10);
    if (window.length >= 20 && window.filter(({ failed }) => failed).length >= window.length / 2) {
      this.open(now, random);
    }
  }
}

describe('CircuitBreaker as a state machine', () => {
  const operation = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('acquire' as const), times: fc.integer({ min: 1, max: 8 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('settle' as const),
        pick: fc.nat(),
        times: fc.integer({ min: 1, max: 12 }),
        result: fc.constantFrom<AttemptResult>('failure', 'failure', 'success', 'none'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.oneof(fc.nat(900), fc.nat(70_000)) }),
    },
  );

  it('follows the rules under any order of calls, results and pauses', () => {
    const run = (random: number, operations: (typeof operation extends fc.Arbitrary<infer T> ? T : never)[]): void => {
      const { circuit } = breaker(random);
      const model = new Model();
      const permits: { permit: Permit; period: number; probe: boolean }[] = [];
      let now = 0;
      const acquire = (): void => {
        const due = model.state === 'open' && now >= model.openUntil;
        if ((model.state === 'open' && !due) || (model.state !== 'closed' && model.probes >= 3)) {
          expect(circuit.canAcquire(now)).toBe(false);
          expect(() => circuit.acquire(now)).toThrow('the circuit is open');
          return;
        }
        if (due) {
          model.enter('half-open');
        }
        const probe = model.state === 'half-open';
        if (model.probes === 0 && now >= model.activeAt + 2 * model.openMs) model.nextOpenMs = 5000;
        permits.push({ permit: circuit.acquire(now), period: model.period, probe });
        model.probes += probe ? 1 : 0;
      };
      const settle = (pick: number, result: AttemptResult): void => {
        const [given] = permits.splice(pick % Math.max(1, permits.length), 1);
        if (given === undefined) {
          return;
        }
        circuit.settle(given.permit, result, now);
        if (given.probe) {
          model.probes -= 1;
          model.activeAt = now;
        }
        if (given.period === model.period) {
          model.settle(result, now, random);
        }
      };
      for (const step of operations) {
        if (step.kind === 'pass') {
          now += step.ms;
        }
        for (let time = 0; step.kind !== 'pass' && time < step.times; time += 1) {
          if (step.kind === 'acquire') {
            acquire();
          } else {
            settle(step.pick, step.result);
          }
          expect(circuit.state).toBe(model.state);
          if (model.state === 'open') expect(circuit.refusal(model.openUntil - 1).retryAfterMs).toBeCloseTo(1, 5);
        }
      }
    };
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(fc.property(random, fc.array(operation, { minLength: 20, maxLength: 200 }), run));
  });
});
