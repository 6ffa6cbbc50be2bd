import { join } from 'node:path';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { json } from '../../testing/upstream/responses';
import { refusedUrl } from '../support/free-port';
import { send } from '../support/http-client';
import { DETAILS } from '../support/operations';
import { FORWARDING, PRIVATE, PRIVATE_HEADERS, PRIVATE_REQUESTS } from '../support/private-requests';
import { PARENT, SAMPLED, TRACE } from '../support/spans';
import { useUpstream } from '../support/started';
import { CLEAN_EXIT, HELD_TIMERS, type ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

/** The entry of the package, as an application that has installed it loads it. */
const PRELOAD = 'shipping-query-service/tracing';
const MODULES = join(__dirname, 'support/modules.js');
/** How long the process waits for its last spans to be taken. */
const FLUSH_MS = 2_000;

describe('D79 OpenTelemetry, preloaded', () => {
  const processes = useServiceProcesses();
  /** Collects traces over OTLP/HTTP. */
  const collector = useUpstream(json({}));

  const start = (env: Record<string, string>, preload = [PRELOAD, MODULES]): Promise<ServiceProcess> =>
    processes.start(env, { preload });

  const SOON = { OTEL_BSP_SCHEDULE_DELAY: '50' };
  const exportingTo = (url: string): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...SOON });

  /** Which modules of OpenTelemetry it has loaded; prom-client requires the API itself, for exemplars. */
  async function openTelemetryIn(service: ServiceProcess): Promise<string[]> {
    const { modules } = (await service.ask({ modules: true }, 'modules')) as { modules: string[] };
    expect(modules.length).toBeGreaterThan(500);
    return modules.filter((module) => /@opentelemetry\/(?!api\/)/.test(module));
  }

  it('exports the spans before it ends, without values of requests', async () => {
    const exporter = { OTEL_EXPORTER_OTLP_ENDPOINT: collector().url, OTEL_SERVICE_NAME: 'another-name' };
    const service = await start({ ...FORWARDING, ...exporter });
    for (const { path, method, behaviour = json() } of PRIVATE_REQUESTS) {
      processes.upstream.respondWith(behaviour);
      await send(service.url, path, { method, headers: { ...PRIVATE_HEADERS, ...SAMPLED } });
    }
    for (const { headers } of processes.upstream.calls) {
      expect([headers.tracestate, headers.baggage]).toEqual([undefined, undefined]);
    }
    expect(await openTelemetryIn(service)).not.toEqual([]);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    for (const { path, headers } of collector().calls) {
      expect({ path, ...headers }).toMatchObject({ path: '/v1/traces', 'content-type': 'application/x-protobuf' });
      expect(headers).not.toHaveProperty('traceparent');
    }
    const exported = (await Promise.all(collector().calls.map(({ body }) => body))).join('');
    for (const name of ['GET /api/Shipping/GetShippingDetails', 'GET /shippings/details', 'another-name']) {
      expect(exported).toContain(name);
    }
    expect((exported + service.stdout + service.stderr).toLowerCase()).not.toContain(PRIVATE);
  });

  it('a collector that is down harms nothing', async () => {
    const options = { OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-secret' };
    const service = await start({ ...exportingTo(await refusedUrl()), ...options });
    const ask = (): Promise<number> => service.request(`/api/Shipping/${DETAILS.request}`).then(({ status }) => status);
    expect(new Set(await Promise.all(Array.from({ length: 50 }, ask)))).toEqual(new Set([200]));
    const warning = (): unknown => service.log.find((line) => line.context === 'OpenTelemetry');
    await eventually('an error in the log', () => warning(), Boolean);
    expect(warning()).toMatchObject({ level: 50, msg: expect.stringContaining('ECONNREFUSED') });
    expect(await ask()).toBe(200);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    expect(service.stdout + service.stderr).not.toContain('collector-secret');
  });

  it('D27 a silent collector delays the exit by two seconds', async () => {
    collector().respondWith(neverResponds());
    const env = { ...exportingTo(collector().url), OTEL_BSP_SCHEDULE_DELAY: '3600000' };
    const service = await start(env, [HELD_TIMERS, PRELOAD]);
    expect((await service.request(`/api/Shipping/${DETAILS.request}`)).status).toBe(200);
    service.signal('SIGTERM');
    await collector().waitForCalls(1);
    expect(await service.endsAfter(FLUSH_MS)).toEqual(CLEAN_EXIT);
    expect(collector().calls).toHaveLength(1);
  });

  it.each<Record<string, string>>([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ])('%j is honoured; the trace goes on', async (env) => {
    const service = await start({ ...exportingTo(collector().url), ...env });
    await service.request(`/api/Shipping/${DETAILS.request}`, { headers: SAMPLED });
    expect(processes.upstream.calls[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})`));
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    expect(collector().calls).toEqual([]);
  });

  it('nothing of it is loaded unless it is preloaded', async () => {
    const plain = await start(exportingTo(collector().url), [MODULES]);
    await send(plain.url, `/api/Shipping/${DETAILS.request}`);
    expect(await openTelemetryIn(plain)).toEqual([]);
    expect(await plain.stop()).toEqual(CLEAN_EXIT);
    expect(collector().calls).toEqual([]);
  });
});
