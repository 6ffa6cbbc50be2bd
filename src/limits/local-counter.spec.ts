import * as fc from 'fast-check';
import { LocalCounter } from './local-counter';

const WINDOW_MS = 1000;

function counter(max: number, maxCallers?: number): { counter: LocalCounter; clock: { now: number } } {
  const clock = { now: 0 };
  return { counter: new LocalCounter({ max, windowMs: WINDOW_MS }, () => clock.now, maxCallers), clock };
}

describe('LocalCounter', () => {
  it('grants so many in a window, and as many in the next', () => {
    const { counter: limited, clock } = counter(2);
    const take = (at: number): unknown[] => {
      clock.now = at;
      const { granted, remaining, resetMs } = limited.take('a');
      return [granted, remaining, resetMs];
    };
    expect(take(5)).toEqual([true, 1, 1000]);
    expect(take(400)).toEqual([true, 0, 605]);
    expect(take(1004)).toEqual([false, 0, 1]);
    expect(take(1005)).toEqual([true, 1, 1000]);
  });

  it('counts each caller for itself', () => {
    const { counter: limited } = counter(1);
    expect(['a', 'b', 'a', 'b'].map((caller) => limited.take(caller).granted)).toEqual([true, true, false, false]);
  });

  it('what is given back can be taken again, once', () => {
    const { counter: limited } = counter(2);
    const first = limited.take('a');
    limited.take('a');
    expect(limited.take('a').granted).toBe(false);
    first.giveBack();
    expect([limited.take('a').granted, limited.take('a').granted]).toEqual([true, false]);
  });

  it('what is given back late is not added to the next window', () => {
    const { counter: limited, clock } = counter(1);
    const first = limited.take('a');
    clock.now = WINDOW_MS;
    expect(limited.take('a').granted).toBe(true);
    first.giveBack();
    expect(limited.take('a').granted).toBe(false);
  });

  it('a refused request has nothing to give back', () => {
    const { counter: limited } = counter(1);
    limited.take('a');
    limited.take('a').giveBack();
    expect(limited.take('a').granted).toBe(false);
  });

  it('whatever the order, no window has more than its maximum of requests that were kept', () => {
    const step = fc.record({ afterMs: fc.nat(400), caller: fc.constantFrom('a', 'b', 'c'), keeps: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
        const { counter: limited, clock } = counter(max);
        const model = new Map<string, { endsAt: number; kept: number }>();
        for (const { afterMs, caller, keeps } of steps) {
          clock.now += afterMs;
          let window = model.get(caller);
          if (window === undefined || window.endsAt <= clock.now) {
            window = { endsAt: clock.now + WINDOW_MS, kept: 0 };
            model.set(caller, window);
          }
          const quota = limited.take(caller);
          expect(quota.granted).toBe(window.kept < max);
          expect(quota.resetMs).toBe(window.endsAt - clock.now);
          if (quota.granted) window.kept += 1;
          expect(quota.remaining).toBe(max - window.kept);
          if (quota.granted && !keeps) {
            quota.giveBack();
            window.kept -= 1;
          }
        }
      }),
    );
  });

  it('keeps no more callers than it may, and forgets those first whose windows began first', () => {
    const { counter: limited, clock } = counter(1, 3);
    for (const caller of ['a', 'b', 'c', 'd']) {
      clock.now += 1;
      limited.take(caller);
    }
    expect(['d', 'c', 'b'].map((caller) => limited.take(caller).granted)).toEqual([false, false, false]);
    expect(limited.take('a').granted).toBe(true);
    expect(sizeOf(limited)).toBe(3);
  });

  it('forgets callers whose windows are over', () => {
    const { counter: limited, clock } = counter(1);
    for (let index = 0; index < 1000; index += 1) limited.take(String(index));
    clock.now = WINDOW_MS;
    limited.take('a');
    expect(sizeOf(limited)).toBe(1);
  });

  function sizeOf(limited: LocalCounter): number {
    return (limited as unknown as { windows: Map<string, unknown> }).windows.size;
  }
});
