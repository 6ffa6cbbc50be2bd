import fc from 'fast-check';
import { thrownBy } from '../../test/support/units';
import { CircuitBreaker, type CircuitState, type Permit } from './circuit-breaker';
import { failedStatus } from './http-failures';

type Result = 'success' | 'failure' | 'none';
const settle = (circuit: CircuitBreaker, permit: Permit, result: Result, now: number): void => {
  circuit.settle(permit, result === 'failure' ? failedStatus(503) : result, now);
};

function breaker(random = 0.5): CircuitBreaker {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  return new CircuitBreaker(5000);
}

function results(circuit: CircuitBreaker, result: Result, times: number, now: number): void {
  for (let time = 0; time < times; time += 1) settle(circuit, circuit.acquire(now), result, now);
}

describe('CircuitBreaker, closed', () => {
  // Results are written as their kind, their number, and their time in milliseconds.
  it.each<[string, string, CircuitState]>([
    ['half of 20 failed', 'success 10 0, failure 10 0', 'open'],
    ['19 failed', 'failure 19 0', 'closed'],
    ['less than half failed', 'success 200 0, failure 199 0', 'closed'],
    ['the window has passed', 'failure 19 0, failure 19 10000', 'closed'],
    ['results of no count', 'none 100 0, failure 19 0', 'closed'],
    ['results of no count do not dilute', 'none 100 0, failure 20 0', 'open'],
  ])('D33 D57 %s', (_, steps, state) => {
    const circuit = breaker();
    for (const step of steps.split(', ')) {
      const [result, times, now] = step.split(' ');
      results(circuit, result as Result, Number(times), Number(now));
    }
    expect(circuit.state).toBe(state);
  });
});

describe('CircuitBreaker, open', () => {
  it.each([
    [0, 4000],
    [0.5, 5000],
    [1, 6000],
  ])('is open for 5 s, give or take a fifth (random %d), and says how long that is', (random, openMs) => {
    const circuit = breaker(random);
    results(circuit, 'failure', 20, 0);
    const refusal = thrownBy(() => circuit.acquire(1000));
    expect(refusal).toMatchObject({ reason: 'circuit-open', retryAfterMs: openMs - 1000 });
    expect([openMs - 1, openMs].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
  });

  it('D33 lets one probe through, and refuses the rest without naming a time', () => {
    const circuit = breaker();
    results(circuit, 'failure', 20, 0);
    circuit.acquire(5000);
    expect([circuit.state, circuit.canAcquire(1e9)]).toEqual(['half-open', false]);
    expect(thrownBy(() => circuit.acquire(5000))).toMatchObject({ retryAfterMs: undefined });
  });

  it('D33 is open for a minute at most', () => {
    const circuit = breaker();
    results(circuit, 'failure', 20, 0);
    for (let hour = 1; hour < 10; hour += 1) results(circuit, 'failure', 1, hour * 3_600_000);
    expect(thrownBy(() => circuit.acquire(9 * 3_600_000))).toMatchObject({ retryAfterMs: 60_000 });
  });
});

/**
 * The rules of the circuit breaker in their simplest form: a list of all results, instead of counts for each second.
 */
class Model {
  state: CircuitState = 'closed';
  /** Number of the period in which the circuit is open or closed: a permit of an earlier period is ignored. */
  period = 0;
  private nextOpenMs = 5000;
  private openUntil = 0;
  private results: { second: number; failed: boolean }[] = [];

  constructor(private readonly random: number) {}

  canAcquire(now: number): boolean {
    return this.state === 'closed' || (this.state === 'open' && now >= this.openUntil);
  }

  acquire(): number {
    if (this.state === 'open') this.enter('half-open');
    return this.period;
  }

  settle(period: number, result: Result, now: number): void {
    if (period !== this.period) return;
    if (this.state === 'half-open') {
      if (result === 'failure') this.open(now);
      else this.enter(result === 'success' ? 'closed' : 'open');
      if (result === 'success') this.nextOpenMs = 5000;
    } else if (result !== 'none') {
      const second = Math.floor(now / 1000);
      this.results.push({ second, failed: result === 'failure' });
      const recent = this.results.filter((each) => each.second > second - 10);
      const failures = recent.filter(({ failed }) => failed).length;
      if (recent.length >= 20 && failures >= recent.length / 2) this.open(now);
    }
  }

  private open(now: number): void {
    this.openUntil = now + this.nextOpenMs * (1 + 0.2 * (2 * this.random - 1));
    this.nextOpenMs = Math.min(60_000, 2 * this.nextOpenMs);
    this.enter('open');
  }

  private enter(state: CircuitState): void {
    Object.assign(this, { state, period: this.period + 1, results: [] });
  }
}

it('D33 D57 CircuitBreaker follows the rules under any order of calls, results and pauses', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const result = fc.constantFrom<Result>('failure', 'failure', 'success', 'none');
  const step = fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.nat(900), fc.nat(70_000)),
    calls: fc.nat(12),
    settled: fc.array(fc.record({ pick: fc.nat(), result }), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(random, fc.array(step, { minLength: 10, maxLength: 60 }), (random, steps) => {
      const circuit = breaker(random);
      const model = new Model(random);
      const permits: { permit: Permit; period: number }[] = [];
      let now = 0;
      for (const { waitMs, calls, settled } of steps) {
        now += waitMs;
        for (let call = 0; call < calls; call += 1) {
          expect(circuit.canAcquire(now)).toBe(model.canAcquire(now));
          if (model.canAcquire(now)) permits.push({ permit: circuit.acquire(now), period: model.acquire() });
          else expect(() => circuit.acquire(now)).toThrow('circuit open after: status 503');
        }
        for (const { pick, result } of settled) {
          const [given] = permits.splice(pick % Math.max(1, permits.length), 1);
          if (given === undefined) break;
          settle(circuit, given.permit, result, now);
          model.settle(given.period, result, now);
          expect(circuit.state).toBe(model.state);
        }
      }
    }),
  );
});
