import { join } from 'node:path';
import { send } from '../support/http-client';
import { BY_ID, DETAILS, eventually } from '../support/operations';
import { OtlpReceiver } from '../support/otlp-receiver';
import { PRIVATE, PRIVATE_HEADERS, ROWS } from '../support/private-requests';
import { json } from '../support/upstream/answers';
import { refusedUrl } from '../support/upstream/refused-url';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { ServiceProcess, type Exit } from './support/service-process';

const PRELOAD = join(__dirname, '../../src/telemetry/preload.ts');
const MODULES = join(__dirname, 'support/modules.js');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` };
/** What an orchestrator is promised. */
const DRAIN_MS = 25_000;

// Each test starts a process, which compiles the sources.
jest.setTimeout(45_000);

describe('OpenTelemetry, preloaded', () => {
  const running: ServiceProcess[] = [];
  const receivers: OtlpReceiver[] = [];
  let upstream: ScriptedUpstream;

  beforeEach(async () => {
    upstream = await ScriptedUpstream.start();
    upstream.respondWith(json());
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.kill()));
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    await upstream.close();
  });

  async function start(env: Record<string, string>, preload = [PRELOAD, MODULES]): Promise<ServiceProcess> {
    const service = await ServiceProcess.start({ EXTERNAL_SHIPPING_BASE_URL: upstream.url, ...env }, { preload });
    running.push(service);
    return service;
  }

  async function receiver(answers?: boolean): Promise<OtlpReceiver> {
    const started = await OtlpReceiver.start(answers);
    receivers.push(started);
    return started;
  }

  const exportingTo = (url: string): Record<string, string> => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });

  /** Ends it, and tells how and how many milliseconds that took. */
  async function stop(service: ServiceProcess): Promise<Exit & { tookMs: number }> {
    const at = performance.now();
    service.signal('SIGTERM');
    const exit = await service.exit;
    return { ...exit, tookMs: exit.at - at };
  }

  it('exports request, query and call over OTLP, each within the one before, and nothing that a client said', async () => {
    const collector = await receiver();
    const service = await start({ ...exportingTo(collector.url), LOG_LEVEL: 'trace' });
    await send(service.url, `/api/Shipping/${BY_ID.request}`, { headers: SAMPLED });
    await eventually(() => collector.spans.length === 3);
    const [call, query, request] = [3, 1, 2].map((kind) => collector.spans.find((span) => span.kind === kind));
    expect([request?.traceId, request?.parentSpanId]).toEqual([TRACE, PARENT]);
    expect([query?.traceId, query?.parentSpanId]).toEqual([TRACE, request?.spanId]);
    expect([call?.traceId, call?.parentSpanId]).toEqual([TRACE, query?.spanId]);
    expect(upstream.calls[0]?.headers.traceparent).toBe(`00-${TRACE}-${call?.spanId ?? ''}-01`);
    expect(collector.resource).toMatchObject({ 'service.name': 'shipping-query-service' });

    for (const [, path, , behaviour, method = 'GET'] of ROWS) {
      upstream.respondWith(behaviour ?? json());
      await send(service.url, path, { method, headers: { ...PRIVATE_HEADERS, ...SAMPLED } });
    }
    const { body: metrics } = await send(service.url, '/metrics');
    expect((await stop(service)).code).toBe(0);
    expect(collector.spans.length).toBeGreaterThan(ROWS.length);
    for (const told of [...collector.bodies.map(String), metrics, service.stdout, service.stderr]) {
      expect(told.toLowerCase()).not.toContain(PRIVATE);
    }
    for (const { path, headers } of collector.requests) {
      expect([path, headers['content-type']]).toEqual(['/v1/traces', 'application/json']);
      expect(headers.traceparent).toBeUndefined();
    }
  });

  it('sends what is left before the process ends, over protobuf unless told otherwise', async () => {
    const collector = await receiver();
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_SERVICE_NAME: 'another-name',
    });
    await send(service.url, `/api/Shipping/${DETAILS.request}`);
    expect(collector.bodies).toEqual([]);
    expect(await stop(service)).toMatchObject({ code: 0, signal: null });
    expect(collector.requests.map(({ headers }) => headers['content-type'])).toEqual(['application/x-protobuf']);
    const sent = String(collector.bodies[0]);
    for (const name of [
      'GET /api/Shipping/GetShippingDetails',
      'GetShippingDetailsQuery',
      'GET /shippings/details',
      'another-name',
    ]) {
      expect(sent).toContain(name);
    }
  });

  it.each([
    ['is down', refusedUrl],
    ['takes and never answers', async () => (await receiver(false)).url],
  ] as const)('a collector that %s harms nothing', async (_, collectorUrl) => {
    const service = await start({
      ...exportingTo(await collectorUrl()),
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-secret',
    });
    const ask = (): Promise<number> =>
      send(service.url, `/api/Shipping/${DETAILS.request}`).then(({ status }) => status);
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(Array.from({ length: 50 }, () => 200));
    const warning = (): Record<string, unknown> | undefined =>
      service.log.find((line) => line.context === 'OpenTelemetry');
    await eventually(() => warning() !== undefined, 15_000);
    expect(warning()).toMatchObject({ level: 40, msg: expect.stringMatching(/^[^{\n]+$/) });
    expect(await ask()).toBe(200);
    const { code, tookMs } = await stop(service);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(DRAIN_MS);
    expect(service.stdout + service.stderr).not.toContain('collector-secret');
  });

  it('the time to send what is left is bounded, whatever the collector does', async () => {
    const collector = await receiver(false);
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    await send(service.url, `/api/Shipping/${DETAILS.request}`);
    const { code, tookMs } = await stop(service);
    expect(code).toBe(0);
    // By itself it would wait for ten seconds.
    expect(tookMs).toBeLessThan(8000);
    expect(collector.bodies).toHaveLength(1);
  });

  it.each<Record<string, string>>([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    '%j exports nothing and changes nothing',
    async (env) => {
      const collector = await receiver();
      const service = await start({ ...exportingTo(collector.url), ...env });
      await send(service.url, `/api/Shipping/${DETAILS.request}`, { headers: SAMPLED });
      expect(upstream.calls[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!0{16})[0-9a-f]{16}-01$`));
      expect((await stop(service)).code).toBe(0);
      expect(service.log.find(({ msg }) => msg === 'request')?.trace_id).toBe(TRACE);
      expect(collector.bodies).toEqual([]);
    },
  );

  it('nothing of it is loaded unless it is preloaded', async () => {
    // prom-client requires the API itself, for exemplars.
    const isOpenTelemetry = (module: unknown): boolean =>
      /@opentelemetry\/(?!api\/)|@fastify\/otel|open-telemetry/.test(String(module));
    const loaded = async (service: ServiceProcess): Promise<unknown[]> =>
      (await service.ask({ modules: true }, 'modules')).modules as unknown[];
    const collector = await receiver();
    const plain = await start(exportingTo(collector.url), [MODULES]);
    await send(plain.url, `/api/Shipping/${DETAILS.request}`);
    expect((await loaded(plain)).filter(isOpenTelemetry)).toEqual([]);
    expect((await loaded(plain)).length).toBeGreaterThan(500);
    expect((await stop(plain)).code).toBe(0);
    expect(collector.bodies).toEqual([]);
    const traced = await start(exportingTo(collector.url));
    expect((await loaded(traced)).filter(isOpenTelemetry)).not.toEqual([]);
  });
});
