import {
  closesKeepAliveAsReused,
  neverResponds,
  resetsBeforeHeaders,
} from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { held, json } from '../../../testing/upstream/responses';
import { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { endWaitsWhenDue } from '../../support/held-waits';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { ATTEMPT_MS, completenessOf, ONE_HELD_ATTEMPT, PAGED, PATIENT } from '../../support/operations';
import { RunningService, useScriptedService } from '../../support/service';
import { refusedUrl } from '../../support/upstream/refused-url';

const CONNECTIONS = 30;
const ONCE = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };

describe('D61 an external system that restarts', () => {
  const scripted = useScriptedService(ONCE);

  const ask = async (request: string): Promise<unknown> => completenessOf(await scripted.service.request(request));
  let sent = 0;
  const burst = (): Promise<unknown[]> =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => ask(`${PAGED.request}&SearchTerm=ORD-${(sent += 1)}`)));
  const complete = new Array(CONNECTIONS).fill('complete');
  const clock = useMonotonicClock();

  const circuit = async (): Promise<unknown> =>
    (await scripted.service.get('/health/ready')).json().externalSystem.circuits.paged;

  it.each(['reset', 'close'] as const)('D61 costs no response: many connections %s', async (death) => {
    const { upstream } = scripted;
    const { behaviour, release } = held(closesKeepAliveAsReused(death));
    upstream.respondWith(behaviour);
    const first = burst();
    await eventually('calls in flight', () => upstream.inFlight(), CONNECTIONS);
    release();
    expect(await first).toEqual(complete);
    upstream.respondWith(json());
    expect(await burst()).toEqual(complete);
    expect(upstream.reusesRefused).toBeGreaterThan(1);
    expect(await circuit()).toBe('closed');
  });

  it('D61 the second time is an ordinary failure, which counts', async () => {
    clock.advance(60_000);
    scripted.upstream.respondWith(resetsBeforeHeaders());
    expect(await ask(PAGED.request)).toBe('unavailable;reason=upstream-unreachable');
    expect(scripted.upstream.calls).toHaveLength(2);
    for (let call = 1; call < 20; call += 1) await ask(PAGED.request);
    expect(await circuit()).toBe('open');
  });
});

describe('D25 causes of failed connections', () => {
  const scripted = useScriptedService(ONCE);
  const reachable = (service: RunningService): unknown[] =>
    service.messages('reachable').map((message) => message.replace(/^The external system is | \(\d+ times\)$/g, ''));

  it('D25 of a system that flaps are logged once a minute', async () => {
    const { service, upstream } = scripted;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const flap = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        upstream.respondWith(time % 2 === 0 ? resetsBeforeHeaders() : json());
        await service.request(PAGED.request);
      }
    };
    const [down, up] = ['unreachable: ECONNRESET', 'reachable'];
    await flap(11);
    expect(reachable(service)).toEqual([down, up]);
    clock.mockReturnValue(1_060_000);
    await flap(11);
    expect(reachable(service)).toEqual([down, up, down, up]);
    clock.mockReturnValue(1_120_000);
    await flap(1);
    expect(reachable(service)).toEqual([down, up, down, up, down]);
  });

  it('D25 a time-out is none', async () => {
    const { upstream } = scripted;
    upstream.respondWith(neverResponds());
    const service = await RunningService.start({ ...ONE_HELD_ATTEMPT, EXTERNAL_SHIPPING_BASE_URL: upstream.url });
    endWaitsWhenDue(ATTEMPT_MS, () => upstream.calls.length > 0);
    expect(completenessOf(await service.request(PAGED.request))).toBe('unavailable;reason=upstream-timeout');
    await service.close();
    expect(reachable(service)).toEqual([]);
  });

  // Nest logs to the service that started last.
  it('D25 are logged once, and their end', async () => {
    const url = await refusedUrl();
    const service = await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url });
    for (let call = 1; call <= 5; call += 1) await service.request(PAGED.request);
    const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
    upstream.respondWith(json());
    for (let call = 1; call <= 5; call += 1) await service.request(PAGED.request);
    expect(reachable(service)).toEqual(['unreachable: ECONNREFUSED', 'reachable']);
    await service.close();
    await upstream.close();
  });
});
