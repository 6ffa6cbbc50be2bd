import fc from 'fast-check';
import { CircuitBreaker, type AttemptResult, type CircuitState, type Permit } from './circuit-breaker';

function breaker(random = 0.5): CircuitBreaker {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  return new CircuitBreaker(5000);
}

function results(circuit: CircuitBreaker, result: AttemptResult, times: number, now: number): void {
  for (let time = 0; time < times; time += 1) circuit.settle(circuit.acquire(now), result, now);
}

/** How long the circuit refuses from now on. */
function refusedFor(circuit: CircuitBreaker, now: number): number | undefined {
  try {
    circuit.throwIfRefusing(now);
  } catch (error) {
    expect(error).toMatchObject({ reason: 'circuit-open' });
    return (error as { retryAfterMs?: number }).retryAfterMs;
  }
  return 0;
}

describe('CircuitBreaker, closed', () => {
  it.each<[string, [AttemptResult, number, number][], CircuitState]>([
    ['half of 20 failed', [['success', 10, 0], ['failure', 10, 0]], 'open'],
    ['19 failed', [['failure', 19, 0]], 'closed'],
    ['less than half failed', [['success', 200, 0], ['failure', 199, 0]], 'closed'],
    ['the window has passed', [['failure', 19, 0], ['failure', 19, 10_000]], 'closed'],
    ['results of no count', [['none', 100, 0], ['failure', 19, 0]], 'closed'],
    ['results of no count do not dilute', [['none', 100, 0], ['failure', 20, 0]], 'open'],
  ])('D33 D57 %s', (_, steps, state) => {
    const circuit = breaker();
    for (const [result, times, now] of steps) results(circuit, result, times, now);
    expect(circuit.state).toBe(state);
  }); // prettier-ignore
});

describe('CircuitBreaker, open', () => {
  it.each([
    [0, 4000],
    [0.5, 5000],
    [1, 6000],
  ])('is open for 5 s, give or take a fifth (random %d), and says how long that is', (random, openMs) => {
    const circuit = breaker(random);
    results(circuit, 'failure', 20, 0);
    expect([refusedFor(circuit, 0), refusedFor(circuit, openMs - 1), refusedFor(circuit, openMs)]).toEqual([
      openMs,
      1,
      0,
    ]);
  });

  it('D33 is open twice as long each time a probe fails, up to a minute, and starts anew once it has closed', () => {
    const circuit = breaker();
    let now = 0;
    results(circuit, 'failure', 20, now);
    const times = Array.from({ length: 6 }, () => {
      const openMs = refusedFor(circuit, now) ?? 0;
      now += openMs;
      results(circuit, 'failure', 1, now);
      return openMs;
    });
    expect(times).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    now += 3_600_000;
    results(circuit, 'failure', 1, now);
    expect(refusedFor(circuit, now)).toBe(60_000);
    now += 60_000;
    results(circuit, 'success', 1, now);
    results(circuit, 'failure', 20, now);
    expect(refusedFor(circuit, now)).toBe(5000);
  });
});

describe('CircuitBreaker, half-open', () => {
  const halfOpen = (): { circuit: CircuitBreaker; late: Permit; probe: Permit } => {
    const circuit = breaker();
    const late = circuit.acquire(0);
    results(circuit, 'failure', 20, 0);
    return { circuit, late, probe: circuit.acquire(5000) };
  };

  it('D33 lets one probe through, and refuses the rest without naming a time', () => {
    const { circuit } = halfOpen();
    expect([circuit.state, circuit.canAcquire(1e9), refusedFor(circuit, 5000)]).toEqual([
      'half-open',
      false,
      undefined,
    ]);
  });

  it.each<[AttemptResult, CircuitState, boolean]>([
    ['success', 'closed', true],
    ['failure', 'open', false],
    ['none', 'open', true],
  ])('D33 D57 a probe with %s leaves it %s; another call may be made at once: %s', (result, state, canAcquire) => {
    const { circuit, probe } = halfOpen();
    circuit.settle(probe, result, 5000);
    expect([circuit.state, circuit.canAcquire(5000)]).toEqual([state, canAcquire]);
  });

  it('starts with an empty window after closing, and ignores results from before it opened', () => {
    const { circuit, late, probe } = halfOpen();
    circuit.settle(probe, 'success', 5000);
    results(circuit, 'failure', 18, 5000);
    circuit.settle(late, 'failure', 5000);
    results(circuit, 'failure', 1, 5000);
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
  openUntil = 0;
  results: { bucket: number; failed: boolean }[] = [];

  enter(state: CircuitState): void {
    Object.assign(this, { state, period: this.period + 1, results: [] });
  }

  settle(result: AttemptResult, now: number, random: number): void {
    if (this.state === 'half-open') {
      if (result === 'failure') this.open(now, random);
      else this.enter(result === 'success' ? 'closed' : 'open');
      if (result === 'success') this.nextOpenMs = 5000;
    } else if (result !== 'none') {
      const bucket = Math.floor(now / 1000);
      this.results.push({ bucket, failed: result === 'failure' });
      const window = this.results.filter((each) => each.bucket > bucket - 10);
      if (window.length >= 20 && window.filter(({ failed }) => failed).length >= window.length / 2) {
        this.open(now, random);
      }
    }
  }

  private open(now: number, random: number): void {
    this.openUntil = now + this.nextOpenMs * (1 + 0.2 * (2 * random - 1));
    this.nextOpenMs = Math.min(60_000, 2 * this.nextOpenMs);
    this.enter('open');
  }
}

describe('CircuitBreaker as a state machine', () => {
  const times = fc.integer({ min: 1, max: 12 });
  const result = fc.constantFrom<AttemptResult>('failure', 'failure', 'success', 'none');
  const acquired = fc.record({ kind: fc.constant('acquire' as const), times });
  const settled = fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(), times, result });
  const passed = fc.record({ kind: fc.constant('pass' as const), ms: fc.oneof(fc.nat(900), fc.nat(70_000)) });
  const step = fc.oneof(
    { weight: 4, arbitrary: acquired },
    { weight: 6, arbitrary: settled },
    { weight: 2, arbitrary: passed },
  );

  it('follows the rules under any order of calls, results and pauses', () => {
    const run = (random: number, steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): void => {
      const circuit = breaker(random);
      const model = new Model();
      const permits: { permit: Permit; period: number }[] = [];
      let now = 0;
      const acquire = (): void => {
        const isDue = model.state === 'open' && now >= model.openUntil;
        if (model.state !== 'closed' && !isDue) {
          expect(circuit.canAcquire(now)).toBe(false);
          expect(() => circuit.acquire(now)).toThrow('The circuit is open');
          return;
        }
        if (isDue) model.enter('half-open');
        permits.push({ permit: circuit.acquire(now), period: model.period });
      };
      const settle = (pick: number, result: AttemptResult): void => {
        const [given] = permits.splice(pick % Math.max(1, permits.length), 1);
        if (given === undefined) return;
        circuit.settle(given.permit, result, now);
        if (given.period === model.period) model.settle(result, now, random);
      };
      for (const each of steps) {
        if (each.kind === 'pass') now += each.ms;
        for (let time = 0; each.kind !== 'pass' && time < each.times; time += 1) {
          if (each.kind === 'acquire') acquire();
          else settle(each.pick, each.result);
          expect(circuit.state).toBe(model.state);
        }
      }
    };
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(fc.property(random, fc.array(step, { minLength: 20, maxLength: 200 }), run));
  });
});
