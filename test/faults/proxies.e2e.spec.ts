import { bearer, KeyServer } from '../../testing/key-server';
import { json, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { DETAILS } from '../support/operations';
import { proxied } from '../support/proxied';
import { TokenServer } from '../support/token-server';
import { useServiceProcesses } from './support/service-processes';

/** The entry of the package, as an application that has installed it loads it. */
const PRELOAD = 'shipping-query-service/tracing';

const processes = useServiceProcesses();

it('D9 D76 no request of the service reads a variable of proxies', async () => {
  const collector = await ScriptedUpstream.start();
  collector.respondWith(json({}));
  const [proxy, keys, tokens] = await Promise.all([ScriptedUpstream.start(), KeyServer.start(), TokenServer.start()]);
  processes.upstream.respondWith(validResponse);
  const env = { ...keys.env, ...tokens.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...proxied(proxy.url) };
  const service = await processes.start(env, { preload: [PRELOAD] });
  const headers = bearer(await keys.sign());
  expect((await service.request(`/api/Shipping/${DETAILS.request}`, { headers })).status).toBe(200);
  expect((await service.stop()).code).toBe(0);
  const counts = { keys: keys.fetches, tokens: tokens.requests.length, spans: collector.calls.length };
  expect({ ...counts, proxied: proxy.calls.length }).toEqual({ keys: 1, tokens: 1, spans: 1, proxied: 0 });
  await Promise.all([proxy, keys, tokens, collector].map((server) => server.close()));
});
