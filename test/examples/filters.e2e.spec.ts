import { CursorCarrierProtocol } from '../../examples/cursor-carrier/cursor-carrier.protocol';
import { CursorCarrierSystem } from '../../examples/cursor-carrier/cursor-carrier-system';
import { ShipEngineProtocol } from '../../examples/shipengine/shipengine.protocol';
import { ShipEngineSystem } from '../../examples/shipengine/shipengine-system';
import { FILTERS } from '../support/list-filters';
import { useApps } from '../support/service';

const EXAMPLES = [
  ['ShipEngine', ShipEngineProtocol, () => ShipEngineSystem.start()],
  ['the carrier with a cursor', CursorCarrierProtocol, () => CursorCarrierSystem.start(1)],
] as const;

// An ignored filter would return records that nobody asked for, and call them complete.
describe.each(EXAMPLES)('D36 %s applies or refuses', (_, protocol, start) => {
  const startApp = useApps();

  it.each(FILTERS)('the filter $name of $list.name', async ({ list, ofNone }) => {
    const system = await start();
    const env = { EXTERNAL_SHIPPING_BASE_URL: system.url, LOG_LEVEL: 'silent' };
    const app = await startApp({ env, protocol });
    const response = await app.inject(`/api/Shipping/${list.name}?${ofNone}`);
    const body = response.json<{ items?: object[] }>();
    const completeness = response.headers['shipping-completeness'];
    if (response.statusCode !== 400) expect([completeness, body.items ?? body]).toEqual(['complete', []]);
    await system.stop();
  });
});
