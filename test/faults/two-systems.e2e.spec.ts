import { readFileSync } from 'node:fs';
import { ShipEngineSystem } from '../../examples/shipengine/shipengine-system';
import { eventually } from '../../testing/upstream/eventually';
import { held, status } from '../../testing/upstream/responses';
import { freePort } from '../support/free-port';
import { type Gateway, startHaproxy } from '../support/gateway';
import { metricOf, send } from '../support/http-client';
import { PATIENT } from '../support/operations';
import { useServiceProcesses } from './support/service-processes';

/** The recipe of `docs/connecting.md`. */
describe('examples/two-systems', () => {
  const processes = useServiceProcesses();
  let shipEngine: ShipEngineSystem;
  beforeAll(async () => {
    shipEngine = await ShipEngineSystem.start();
  });
  afterAll(() => shipEngine.stop());

  const completenessOf = async (origin: string, operation: string): Promise<unknown> =>
    (await send(origin, `/api/Shipping/${operation}`)).headers['shipping-completeness'];

  let gateway: Gateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  it('D84 D85 a gateway serves both at one address, and log, metrics and links name the system', async () => {
    const [north, south, port] = [await freePort(), await freePort(), await freePort()];
    const service = processes.spawn(
      {
        ...PATIENT,
        NORTH_PORT: String(north),
        NORTH_PUBLIC_BASE_PATH: '/north',
        NORTH_EXTERNAL_SHIPPING_BASE_URL: processes.upstream.url,
        SOUTH_PORT: String(south),
        SOUTH_PUBLIC_BASE_PATH: '/south',
        SOUTH_EXTERNAL_SHIPPING_BASE_URL: shipEngine.url,
      },
      { entry: 'examples/two-systems/main.ts' },
    );
    await service.until(() => service.stdout.split('"Listening"').length === 3, 'listening');
    const example = readFileSync('examples/two-systems/haproxy.cfg', 'utf8');
    const ports = example.replace(':3000', `:${north}`).replace(':3001', `:${south}`).replace(':8080', `:${port}`);
    gateway = await startHaproxy(ports, port);
    const origin = gateway.url;

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
    service.signal('SIGTERM');
    expect((await service.exit).code).toBe(0);
  });

  it('D85 two applications of one process share no settings and no circuit, and the last one ends it', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const [north, south] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
    const service = processes.spawn(
      {
        ...PATIENT,
        NORTH_PORT: String(ports[0]),
        NORTH_EXTERNAL_SHIPPING_BASE_URL: processes.upstream.url,
        NORTH_EXTERNAL_SHIPPING_TOKEN: 'north',
        NORTH_EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
        SOUTH_PORT: String(ports[1]),
        SOUTH_EXTERNAL_SHIPPING_BASE_URL: shipEngine.url,
      },
      { entry: 'examples/two-systems/main.ts' },
    );
    await service.until(() => service.stdout.split('"Listening"').length === 3, 'listening');
    const { upstream } = processes;
    upstream.respondWith(status(500));
    for (let sent = 0; sent < 30; sent += 1) await completenessOf(north, 'GetShippingDetails');
    expect(upstream.calls[0]?.headers.authorization).toBe('Bearer north');
    const circuit = 'external_shipping_circuit_state{operation="details"';
    expect([
      await metricOf(north, `${circuit},system="north"}`),
      await metricOf(south, `${circuit},system="south"}`),
    ]).toEqual([2, NaN]);
    expect(await completenessOf(south, 'GetShippingDetails?Limit=1')).toBe('complete;limit=1');

    const { behaviour, release } = held();
    upstream.reset();
    upstream.respondWith(behaviour);
    const inFlight = completenessOf(north, 'GetShippingPagedList');
    await upstream.waitForCalls(1);
    service.signal('SIGTERM');
    // The one that is idle has closed long before the other one responds.
    const isClosed = (): Promise<boolean> =>
      send(south, '/health/live').then(
        () => false,
        () => true,
      );
    await eventually('the idle one is closed', isClosed);
    release();
    expect(await inFlight).toBe('complete');
    expect((await service.exit).code).toBe(0);
  });
});
