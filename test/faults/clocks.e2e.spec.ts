import { neverResponds } from '../../testing/upstream/connection-faults';
import { held, soundReply, status } from '../../testing/upstream/responses';
import { useMonotonicClock } from '../support/monotonic-clock';
import { completenessOf, DETAILS, PATIENT } from '../support/operations';
import { useScriptedService } from '../support/service';
import { holdWallClock } from '../support/wall-clock';
import { requestDistinct } from './support/fault-responses';

const HOUR_MS = 3_600_000;
const OPEN_MS = 60_000;
const OPEN_AT_MOST_MS = 1.2 * OPEN_MS;

describe('clocks', () => {
  const clock = useMonotonicClock();

  describe.each([
    ['forwards', 5 * HOUR_MS],
    ['backwards', -5 * HOUR_MS],
  ])('D26 a wall clock that jumps %s by hours', (_, jumpMs) => {
    const once = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
    const scripted = useScriptedService({ ...once, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(OPEN_MS) });
    const brief = { EXTERNAL_SHIPPING_TIMEOUT_MS: '1000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1000' };
    const impatient = useScriptedService(brief);
    const completeness = async ({ service } = scripted): Promise<unknown> =>
      completenessOf(await requestDistinct(service, DETAILS));

    const jump = (): void => {
      holdWallClock();
      jest.setSystemTime(Date.now() + jumpMs);
    };
    afterEach(() => jest.useRealTimers());

    it('moves no deadline', async () => {
      const { behaviour, release } = held();
      scripted.upstream.respondWith(behaviour);
      impatient.upstream.respondWith(neverResponds());
      const [across, late] = [completeness(), completeness(impatient)];
      await Promise.all([scripted, impatient].map(({ upstream }) => upstream.waitForCalls(1)));
      jump();
      expect(await late).toBe('unavailable;reason=upstream-timeout');
      release();
      expect(await across).toBe('complete');
    });

    it('moves no open time', async () => {
      scripted.upstream.respondWith(status(500));
      await Promise.all(Array.from({ length: 30 }, () => completeness()));
      scripted.upstream.respondWith(soundReply);
      jump();
      expect(await completeness()).toBe('unavailable;reason=circuit-open');
      clock.advance(OPEN_AT_MOST_MS);
      expect(await completeness()).toBe('complete');
    });
  });
});
