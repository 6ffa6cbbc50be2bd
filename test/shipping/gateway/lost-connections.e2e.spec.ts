import { closesKeepAliveAsReused } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { held, json } from '../../../testing/upstream/responses';
import { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { completenessOf } from '../../support/expected';
import { refusedUrl } from '../../support/free-port';
import { PAGED } from '../../support/operations';
import { ONCE, PATIENT, RunningService, useScriptedService } from '../../support/service';

const CONNECTIONS = 30;
describe('D61 an external system that restarts', () => {
  const scripted = useScriptedService(ONCE);

  const ask = async (request: string): Promise<unknown> => completenessOf(await scripted.service.request(request));
  let sent = 0;
  const burst = (): Promise<unknown[]> =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => ask(`${PAGED.request}&SearchTerm=ORD-${(sent += 1)}`)));
  const complete = new Array(CONNECTIONS).fill('complete');

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
    const { externalSystem } = (await scripted.service.get('/health/ready')).json();
    expect(externalSystem).toMatchObject({ circuits: { paged: 'closed' } });
  });
});

it('D25 causes of failed connections are logged once, and their end', async () => {
  const url = await refusedUrl();
  const service = await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url });
  for (let call = 1; call <= 5; call += 1) await service.request(PAGED.request);
  const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
  upstream.respondWith(json());
  for (let call = 1; call <= 5; call += 1) await service.request(PAGED.request);
  const messages = service.messages('reachable').map((message) => message.replace(/ \(\d+ times\)$/, ''));
  const [down, up] = ['is unreachable: ECONNREFUSED', 'is reachable'];
  expect(messages).toEqual([down, up].map((end) => `The external system ${end}`));
  await service.close();
  await upstream.close();
});
