import { completenessOf } from '../support/expectations';
import { eventually, PAGED } from '../support/operations';
import { PATIENT } from '../support/patient';
import { useScriptedService } from '../support/service';
import { closesKeepAliveAsReused, resetsBeforeHeaders } from '../support/upstream/connection-faults';
import { held } from '../support/upstream/held';
import { json } from '../support/upstream/responses';

const CONNECTIONS = 30;

describe('D61 an external system that restarts', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  let sent = 0;
  const burst = (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () =>
        completenessOf(await scripted.service.request(`${PAGED.request}&OrderId=ORD-${(sent += 1)}`)),
      ),
    );
  const complete = new Array(CONNECTIONS).fill('complete');

  it.each(['reset', 'close'] as const)(
    'D61 costs no client a response, however many kept-alive connections are dead (%s)',
    async (death) => {
      const { upstream } = scripted;
      const { behaviour, release } = held(closesKeepAliveAsReused(death));
      upstream.respondWith(behaviour);
      const first = burst();
      await eventually(() => upstream.inFlight() === CONNECTIONS);
      release();
      expect(await first).toEqual(complete);
      upstream.respondWith(json());
      expect(await burst()).toEqual(complete);
      expect(upstream.reusesRefused).toBeGreaterThan(1);
      const { externalSystem } = (await scripted.service.get('/health/ready')).json();
      expect(externalSystem).toMatchObject({ circuits: { paged: 'closed' } });
    },
  );
});

describe('D61 an external system that resets every connection', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('D61 the second time is an ordinary failure, which counts', async () => {
    scripted.upstream.respondWith(resetsBeforeHeaders());
    expect(completenessOf(await scripted.service.request(PAGED.request))).toBe(
      'unavailable;reason=upstream-unreachable',
    );
    expect(scripted.upstream.calls).toHaveLength(2);
    for (let call = 1; call < 20; call += 1) await scripted.service.request(PAGED.request);
    const { externalSystem } = (await scripted.service.get('/health/ready')).json();
    expect(externalSystem).toMatchObject({ circuits: { paged: 'open' } });
  });
});
