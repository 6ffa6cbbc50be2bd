import { DrainRate } from './drain-rate';

/** A rate over three slots that has seen these: a number is so many ticks, `release` one release. */
function rateAfter(...events: (number | 'release')[]): DrainRate {
  const rate = new DrainRate(3);
  rate.start();
  for (const event of events) {
    if (event === 'release') rate.release();
    else for (let tick = 0; tick < event; tick += 1) rate.tick();
  }
  return rate;
}

function releases(count: number): 'release'[] {
  return new Array<'release'>(count).fill('release');
}

describe('DrainRate', () => {
  it('D42 is unknown until as many slots were released as there are', () => {
    expect(rateAfter(5, 'release', 5, 'release').ticksUntil(1)).toBe(0);
    expect(rateAfter(2, 'release', 2, 'release', 2, 'release').ticksUntil(1)).toBe(2);
  });

  it('D42 looks at whole turns of all slots only', () => {
    const rate = rateAfter(3, 'release', 3, 'release', 3, 'release', 87, 'release', 'release');
    expect(rate.ticksUntil(1)).toBe((96 - 6) / 3);
    rate.release();
    expect(rate.ticksUntil(1)).toBe(96 / 6);
  });

  it('D42 is that of the last releases: of 64, or more with more slots', () => {
    const rate = rateAfter(...releases(66), 33, 'release', ...releases(64), 33, 'release');
    expect(rate.ticksUntil(1)).toBe(1);
    expect(rate.ticksUntil(12)).toBe(12);
  });

  it('D42 is estimated from fewer releases after half a second', () => {
    expect(rateAfter('release', 'release', 19).ticksUntil(1)).toBe(0);
    expect(rateAfter('release', 'release', 20).ticksUntil(1)).toBe(10);
    expect(rateAfter('release', 'release', 20).ticksUntil(7)).toBe(70);
  });

  it('D42 is never reached where nothing was released for half a second', () => {
    expect(rateAfter(20).ticksUntil(1)).toBe(Infinity);
  });

  it('D42 forgets what was before its start', () => {
    const rate = rateAfter(9, 'release', 'release', 'release');
    rate.start();
    expect(rate.ticksUntil(3)).toBe(0);
  });
});
