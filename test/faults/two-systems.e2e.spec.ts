import { ShipEngineSystem } from '../../examples/shipengine/shipengine-system';
import { eventually } from '../../testing/upstream/eventually';
import { held, status } from '../../testing/upstream/responses';
import { freePort } from '../support/free-port';
import { startHaproxy } from '../support/gateway';
import { metricOf, send } from '../support/http-client';
import { read } from '../support/read';
import { PATIENT, useClosing } from '../support/service';
import { CLEAN_EXIT, type ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

/** The recipe of `docs/connecting.md`. */
describe('examples/two-systems', () => {
  const [processes, closedLater] = [useServiceProcesses(), useClosing()];
  let shipEngine: ShipEngineSystem;
  beforeAll(async () => {
    shipEngine = await ShipEngineSystem.start();
  });
  afterAll(() => shipEngine.stop());

  const completenessOf = async (origin: string, operation: string): Promise<unknown> =>
    (await send(origin, `/api/Shipping/${operation}`)).headers['shipping-completeness'];

  /** Both applications in one process, with their origins. */
  async function start(
    env: Record<string, string>,
  ): Promise<{ service: ServiceProcess; north: string; south: string }> {
    const [north, south] = [await freePort(), await freePort()];
    const [northUrl, southUrl] = [processes.upstream.url, shipEngine.url];
    const urls = { NORTH_EXTERNAL_SHIPPING_BASE_URL: northUrl, SOUTH_EXTERNAL_SHIPPING_BASE_URL: southUrl };
    const ports = { NORTH_PORT: String(north), SOUTH_PORT: String(south) };
    const entry = 'examples/two-systems/main.ts';
    const service = processes.spawn({ ...PATIENT, ...urls, ...ports, ...env }, { entry });
    await service.until(() => service.stdout.split('"Listening"').length === 3, 'listening');
    return { service, north: `http://127.0.0.1:${north}`, south: `http://127.0.0.1:${south}` };
  }

  it('D84 D85 at one address, log, metrics and links name it', async () => {
    const paths = { NORTH_PUBLIC_BASE_PATH: '/north', SOUTH_PUBLIC_BASE_PATH: '/south' };
    const { service, north, south } = await start(paths);
    const port = await freePort();
    const example = read('examples/two-systems/haproxy.cfg');
    const ports = example
      .replace(':3000', `:${new URL(north).port}`)
      .replace(':3001', `:${new URL(south).port}`)
      .replace(':8080', `:${port}`);
    const { url: origin } = closedLater(await startHaproxy(ports, port));

    processes.upstream.respondWith(status(500));
    const failed = await send(origin, '/north/api/Shipping/GetShippingInfoById/A-1');
    expect(JSON.parse(failed.body)).toMatchObject({
      type: '/north/problems#external-system-failed',
      instance: '/north/api/Shipping/GetShippingInfoById/A-1',
    });
    const page = await send(origin, '/south/api/Shipping/GetShippingPagedList?PageSize=1');
    expect(page.headers.link).toMatch(/^<\/south\/api\/Shipping\/GetShippingPagedList/);
    const linesOf = (text: string, system: string): number =>
      service.stdout.split('\n').filter((line) => line.includes(text) && line.includes(`"system":"${system}"`)).length;
    const systems = ['north', 'south'];
    await service.until(() => systems.every((system) => linesOf('"msg":"request"', system) > 0), 'request lines');
    expect(systems.map((system) => linesOf('"Listening"', system))).toEqual([1, 1]);
    expect(systems.map((system) => linesOf('The external system failed', system))).toEqual([1, 0]);
    expect((await send(origin, '/south/metrics')).body).toContain('http_server_active_requests{system="south"} 1');
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('D85 share no settings, no circuit; the last one ends it', async () => {
    const settings = { NORTH_EXTERNAL_SHIPPING_TOKEN: 'north', NORTH_EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
    const { service, north, south } = await start(settings);
    const { upstream } = processes;
    upstream.respondWith(status(500));
    for (let sent = 0; sent < 30; sent += 1) await completenessOf(north, 'GetShippingDetails');
    expect(upstream.calls[0]?.headers.authorization).toBe('Bearer north');
    const circuit = 'external_shipping_circuit_state{operation="details"';
    expect(await metricOf(north, `${circuit},system="north"}`)).toBe(2);
    expect(await metricOf(south, `${circuit},system="south"}`)).toBe(NaN);
    expect(await completenessOf(south, 'GetShippingDetails?Limit=1')).toBe('complete;limit=1');

    const { behaviour, release } = held();
    upstream.reset();
    upstream.respondWith(behaviour);
    const inFlight = completenessOf(north, 'GetShippingPagedList');
    await upstream.waitForCalls(1);
    service.signal('SIGTERM');
    // The one that is idle has closed long before the other one responds.
    const statusOf = (): Promise<unknown> => send(south, '/health/live').catch(() => 'closed');
    await eventually('the idle one', statusOf, 'closed');
    release();
    expect(await inFlight).toBe('complete');
    expect(await service.exit).toEqual(CLEAN_EXIT);
  });
});
