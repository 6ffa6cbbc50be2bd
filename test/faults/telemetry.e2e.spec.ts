import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { send } from '../support/http-client';
import { eventually } from '../../testing/upstream/eventually';
import { DETAILS } from '../support/operations';
import { PRIVATE, PRIVATE_HEADERS, PRIVATE_REQUESTS } from '../support/private-requests';
import { json } from '../../testing/upstream/responses';
import { refusedUrl } from '../support/upstream/refused-url';
import type { Exit, ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

/** A collector of traces over OTLP/HTTP. */
class OtlpReceiver {
  /** The bodies received, as they came. */
  readonly bodies: Buffer[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param answers `false`: it accepts exports and never responds */
  static async start(answers = true): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.requests.push({ path: request.url ?? '', headers: request.headers });
        receiver.bodies.push(Buffer.concat(chunks));
        if (answers) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new OtlpReceiver(server, `http://127.0.0.1:${port}`);
    return receiver;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const PRELOAD = join(__dirname, '../../src/observability/tracing/preload.ts');
const MODULES = join(__dirname, 'support/modules.js');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` };
const HELD_TIMERS = join(__dirname, 'support/held-timers.js');
/** How long the process waits for its last spans to be taken. */
const FLUSH_MS = 2_000;

describe('D79 OpenTelemetry, preloaded', () => {
  const processes = useServiceProcesses();
  const receivers: OtlpReceiver[] = [];
  afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

  const start = (env: Record<string, string>, preload = [PRELOAD, MODULES]): Promise<ServiceProcess> =>
    processes.start(env, { preload });

  async function receiver(answers?: boolean): Promise<OtlpReceiver> {
    const started = await OtlpReceiver.start(answers);
    receivers.push(started);
    return started;
  }

  const SOON = { OTEL_BSP_SCHEDULE_DELAY: '50' };
  const exportingTo = (url: string): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...SOON });

  function stop(service: ServiceProcess): Promise<Exit> {
    service.signal('SIGTERM');
    return service.exit;
  }

  /** Which modules of OpenTelemetry it has loaded; prom-client requires the API itself, for exemplars. */
  async function openTelemetryIn(service: ServiceProcess): Promise<string[]> {
    const { modules } = (await service.ask({ modules: true }, 'modules')) as { modules: string[] };
    expect(modules.length).toBeGreaterThan(500);
    return modules.filter((module) => /@opentelemetry\/(?!api\/)/.test(module));
  }

  it('exports the spans before the process ends, without values of requests', async () => {
    const collector = await receiver();
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'another-name' });
    for (const { path, method, behaviour = json() } of PRIVATE_REQUESTS) {
      processes.upstream.respondWith(behaviour);
      await send(service.url, path, { method, headers: { ...PRIVATE_HEADERS, ...SAMPLED } });
    }
    expect(await openTelemetryIn(service)).not.toEqual([]);
    expect((await stop(service)).code).toBe(0);
    for (const { path, headers } of collector.requests) {
      const { 'content-type': type, traceparent } = headers;
      expect([path, type, traceparent]).toEqual(['/v1/traces', 'application/x-protobuf', undefined]);
    }
    const exported = collector.bodies.map(String).join('');
    for (const name of ['GET /api/Shipping/GetShippingDetails', 'GET /shippings/details', 'another-name']) {
      expect(exported).toContain(name);
    }
    expect((exported + service.stdout + service.stderr).toLowerCase()).not.toContain(PRIVATE);
  });

  it('a collector that is down harms nothing', async () => {
    const options = { OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-secret' };
    const service = await start({ ...exportingTo(await refusedUrl()), ...options });
    const ask = (): Promise<number> => service.request(`/api/Shipping/${DETAILS.request}`).then(({ status }) => status);
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(Array.from({ length: 50 }, () => 200));
    const warning = (): unknown => service.log.find((line) => line.context === 'OpenTelemetry');
    await eventually(() => warning() !== undefined);
    expect(warning()).toMatchObject({ level: 40, msg: expect.stringContaining('ECONNREFUSED') });
    expect(await ask()).toBe(200);
    expect((await stop(service)).code).toBe(0);
    expect(service.stdout + service.stderr).not.toContain('collector-secret');
  });

  it('D27 a collector that never responds delays the exit by two seconds at most', async () => {
    const collector = await receiver(false);
    const env = { ...exportingTo(collector.url), OTEL_BSP_SCHEDULE_DELAY: '3600000' };
    const service = await start(env, [HELD_TIMERS, PRELOAD]);
    expect((await service.request(`/api/Shipping/${DETAILS.request}`)).status).toBe(200);
    service.signal('SIGTERM');
    await eventually(() => collector.bodies.length === 1);
    await service.ask({ elapsedMs: FLUSH_MS - 1 }, 'elapsed');
    expect(service.alive).toBe(true);
    service.send({ elapsedMs: FLUSH_MS });
    expect((await service.exit).code).toBe(0);
    expect(collector.bodies).toHaveLength(1);
  });

  it.each<Record<string, string>>([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ])('%j is honoured; the trace goes on', async (env) => {
    const collector = await receiver();
    const service = await start({ ...exportingTo(collector.url), ...env });
    await service.request(`/api/Shipping/${DETAILS.request}`, { headers: SAMPLED });
    expect(processes.upstream.calls[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})`));
    expect((await stop(service)).code).toBe(0);
    expect(collector.bodies).toEqual([]);
  });

  it('nothing of it is loaded unless it is preloaded', async () => {
    const collector = await receiver();
    const plain = await start(exportingTo(collector.url), [MODULES]);
    await send(plain.url, `/api/Shipping/${DETAILS.request}`);
    expect(await openTelemetryIn(plain)).toEqual([]);
    expect((await stop(plain)).code).toBe(0);
    expect(collector.bodies).toEqual([]);
  });
});
