import { thrownBy } from '../../test/support/units';
import { CircuitBreaker, type CircuitState, type Permit } from './circuit-breaker';
import { failedStatus } from './upstream-failure';

/** A number is a failure that asks for a pause of so many milliseconds. */
type Result = 'success' | 'failure' | 'none' | number;
const settle = (circuit: CircuitBreaker, permit: Permit, result: Result, now: number): void => {
  const failed = typeof result === 'number' ? failedStatus(429, result) : failedStatus(503);
  circuit.settle(permit, result === 'success' || result === 'none' ? result : failed, now);
};

function breaker(random = 0.5): CircuitBreaker {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  return new CircuitBreaker(5000);
}

function results(circuit: CircuitBreaker, result: Result, times: number, now: number): void {
  for (let time = 0; time < times; time += 1) settle(circuit, circuit.acquire(now), result, now);
}

// Results are written as their kind, their number, and their time in milliseconds.
it.each<[string, string, CircuitState]>([
  ['half of 20 failed', 'success 10 0, failure 10 0', 'open'],
  ['19 failed', 'failure 19 0', 'closed'],
  ['less than half failed', 'success 200 0, failure 199 0', 'closed'],
  ['the window has passed', 'failure 19 0, failure 19 10000', 'closed'],
  ['results of no count', 'none 100 0, failure 19 0', 'closed'],
  ['results of no count do not dilute', 'none 100 0, failure 20 0', 'open'],
  ['less than half failed since it closed', 'failure 20 0, success 12 5000, failure 9 5000', 'closed'],
  ['half failed since it closed', 'failure 20 0, success 12 5000, failure 11 5000', 'open'],
])('D33 D57 CircuitBreaker, closed: %s', (_, steps, state) => {
  const circuit = breaker();
  for (const step of steps.split(', ')) {
    const [result, times, now] = step.split(' ');
    results(circuit, result as Result, Number(times), Number(now));
  }
  expect(circuit.stateAt(0)).toBe(state);
});

it('CircuitBreaker ignores the results of calls that an earlier state let through', () => {
  const circuit = breaker();
  const [late, other] = [circuit.acquire(0), circuit.acquire(0)];
  results(circuit, 'failure', 20, 0);
  const probe = circuit.acquire(5000);
  settle(circuit, late, 'success', 5000);
  expect(circuit.stateAt(5000)).toBe('half-open');
  settle(circuit, probe, 'success', 5000);
  results(circuit, 'failure', 19, 5000);
  settle(circuit, other, 'failure', 5000);
  expect(circuit.stateAt(5000)).toBe('closed');
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
    expect([circuit.stateAt(1e9), circuit.canAcquire(1e9)]).toEqual(['half-open', false]);
    expect(thrownBy(() => circuit.acquire(5000))).toMatchObject({ retryAfterMs: undefined });
  });

  it('D57 after a probe of no count, the next call is the probe', () => {
    const circuit = breaker();
    results(circuit, 'failure', 20, 0);
    for (let probe = 0; probe < 3; probe += 1) results(circuit, 'none', 1, 5000);
    results(circuit, 'failure', 1, 5000);
    expect(thrownBy(() => circuit.acquire(5000))).toMatchObject({ retryAfterMs: 10_000 });
  });

  it('D33 doubles the open time at each failed probe, and begins anew once a probe succeeds', () => {
    const circuit = breaker();
    const openMs: unknown[] = [];
    for (const now of [0, 5_000, 15_000]) {
      results(circuit, 'failure', now === 0 ? 20 : 1, now);
      openMs.push(thrownBy(() => circuit.acquire(now)));
    }
    results(circuit, 'success', 1, 35_000);
    results(circuit, 'failure', 20, 35_000);
    openMs.push(thrownBy(() => circuit.acquire(35_000)));
    expect(openMs).toMatchObject([5000, 10_000, 20_000, 5000].map((retryAfterMs) => ({ retryAfterMs })));
  });

  it('D33 is open for a minute at most', () => {
    const circuit = breaker();
    results(circuit, 'failure', 20, 0);
    for (let hour = 1; hour < 10; hour += 1) results(circuit, 'failure', 1, hour * 3_600_000);
    expect(thrownBy(() => circuit.acquire(9 * 3_600_000))).toMatchObject({ retryAfterMs: 60_000 });
  });
});

describe('D21 CircuitBreaker, paused by a 429', () => {
  it('is open for exactly that pause, a minute at most, then makes one probe, whose success closes it', () => {
    for (const pauseMs of [3000, 58_000, 3_600_000]) {
      const expected = Math.min(pauseMs, 60_000);
      const circuit = breaker(0);
      results(circuit, pauseMs, 1, 0);
      expect([expected - 1, expected].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
      const refusal = {
        reason: 'circuit-open',
        causes: [{ what: 'circuit open after: status 429' }],
        retryAfterMs: expected,
      };
      expect(thrownBy(() => circuit.acquire(0))).toMatchObject(refusal);
      expect(
        thrownBy(() => {
          circuit.throwIfPaused(0);
        }),
      ).toMatchObject(refusal);
      circuit.throwIfPaused(expected);
      const probe = circuit.acquire(expected);
      expect([circuit.stateAt(expected), circuit.canAcquire(expected)]).toEqual(['half-open', false]);
      settle(circuit, probe, 'success', expected);
      expect(circuit.stateAt(0)).toBe('closed');
    }
  });

  it.each<Result>(['success', 'failure'])('a %s of the probe does not end a longer pause', (result) => {
    const circuit = breaker();
    const [first, second] = [circuit.acquire(0), circuit.acquire(0)];
    const [third, fourth] = [circuit.acquire(0), circuit.acquire(0)];
    settle(circuit, first, 1000, 0);
    settle(circuit, second, 2000, 500);
    expect([2499, 2500].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
    const probe = circuit.acquire(2500);
    settle(circuit, third, 9000, 2600);
    settle(circuit, fourth, 100, 2650);
    settle(circuit, probe, result, 2700);
    expect(circuit.stateAt(2700)).toBe('open');
    expect([11_599, 11_600].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
  });

  it('does not double the open time, nor shorten one that failures have caused', () => {
    const circuit = breaker();
    results(circuit, 1000, 1, 0);
    results(circuit, 1000, 1, 1000);
    results(circuit, 'failure', 1, 2000);
    expect([6999, 7000].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
    results(circuit, 1000, 1, 7000);
    expect([16_999, 17_000].map((now) => circuit.canAcquire(now))).toEqual([false, true]);
  });
});
