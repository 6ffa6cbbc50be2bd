import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { VERSION } from '../../../src/common/version';
import { expectBadInput, expectProblem } from '../../support/expected';
import { BY_ID, DETAILS, OPERATIONS, SINGLES } from '../../support/operations';
import { RunningService, useScriptedService, useStart } from '../../support/service';
import { TRACE } from '../../support/spans';

describe('D9 SHIPPING_ID_PATTERN', () => {
  const own = useScriptedService({ SHIPPING_ID_PATTERN: '[a-z.!]+' });
  const start = useStart();

  it('D9 lets no identifier change the path, however lax it is', async () => {
    const lax = await start({ SHIPPING_ID_PATTERN: '^[^]+$' });
    for (const id of ['..', '.', '%2e%2e', '%2E']) {
      expectBadInput(await lax.service.request(`GetShippingInfoById/${id}`), 'id');
    }
    for (const id of ['a%2Fb', '..%2F..%2Fx', '%2F%2Fevil.example', '%5C..%5C', 'a%3Fb%23c', '%24%26', '%25']) {
      expect([id, (await lax.service.request(`GetShippingInfoById/${id}`)).status]).toEqual([id, 200]);
    }
    expect(lax.upstream.calls).toHaveLength(7);
    for (const { target } of lax.upstream.calls) expect(target).toMatch(/^\/shippings\/by-id\/[^/?#\\]+$/);
  });

  it.each(SINGLES)('D9 $name matches the whole identifier', async ({ name }) => {
    const target = (id: string): string => (name === BY_ID.name ? `${name}/${id}` : `${name}?Id=${id}`);
    for (const id of ['a', '.a.', 'a!b', 'x'.repeat(256)]) {
      expect([id, (await own.service.request(target(id))).status]).toEqual([id, 200]);
    }
    const refused = ['.', '..', '123', 'SHP-1', 'a1', 'x'.repeat(257), 'a%0Ab', 'a%00'];
    for (const id of refused) expectBadInput(await own.service.request(target(id)), /^id$/i);
  });
});

describe('D16 calls to the external system', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_TOKEN: 'hidden-credential' });

  it.each(OPERATIONS)('D16 $name: method, path and headers', async (operation) => {
    const sent = { Cookie: 'a=1', Authorization: 'Bearer of-the-client', 'X-Request-Id': 'R-1' };
    await scripted.service.request(operation.request, sent);
    const { method, path, headers } = scripted.upstream.calls[0] ?? {};
    expect([method, path]).toEqual(['GET', operation.externalPath]);
    expect(headers).toEqual({
      host: new URL(scripted.upstream.url).host,
      connection: expect.any(String),
      accept: 'application/json',
      'user-agent': `shipping-query-service/${VERSION}`,
      'x-request-id': 'R-1',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
      authorization: 'Bearer hidden-credential',
    });
  });

  it.each(['', '/'])('D16 a base URL with a path and "%s", and other paths', async (slash) => {
    const env = {
      EXTERNAL_SHIPPING_BASE_URL: `${scripted.upstream.url}/legacy${slash}`,
      EXTERNAL_SHIPPING_SINGLE_PATH: '/one',
      EXTERNAL_SHIPPING_BY_ID_PATH: '/one/{id}/all',
      EXTERNAL_SHIPPING_DETAILS_PATH: '/all',
      EXTERNAL_SHIPPING_PAGED_PATH: '/page',
    };
    const service = await RunningService.start(env);
    for (const { request } of OPERATIONS) await service.request(request);
    await service.close();
    const paths = ['/legacy/one', '/legacy/one/SHP-1/all', '/legacy/all', '/legacy/page'];
    expect(scripted.upstream.calls.map(({ path }) => path)).toEqual(paths);
  });
});

describe('FORWARD_HEADERS', () => {
  const start = useStart({ FORWARD_HEADERS: 'X-Tenant-Id, Accept-Language' });

  it.each([
    ['Müller', 'é'],
    ['a\tb', 'a\tb'],
  ])('D22 %j cannot be sent on: 400 that names the header', async (_, value) => {
    const { service, upstream } = await start();
    for (const { request } of OPERATIONS) {
      const response = await service.request(request, { 'x-tenant-id': value });
      expectBadInput(response, 'X-Tenant-Id', /^must consist of visible ASCII characters and spaces$/);
      expect(response.body + service.log.join('')).not.toContain(value);
    }
    const headers = { 'x-tenant-id': value };
    const posted = await service.get(`/api/Shipping/${DETAILS.request}`, { method: 'POST', headers });
    expect([posted.status, (await service.get('/health/live', { headers })).status]).toEqual([405, 200]);
    expect(upstream.calls).toEqual([]);
  });

  it('D22 authentication comes first', async () => {
    const { service } = await start({ AUTH_API_KEYS_SHA256: createHash('sha256').update('key').digest('hex') });
    expectProblem(await service.request(BY_ID.request, { 'X-Tenant-Id': 'é' }), 401);
    const headers = { 'X-Tenant-Id': 'é', 'X-API-Key': 'key' };
    expectBadInput(await service.request(BY_ID.request, headers), 'X-Tenant-Id');
  });
});

describe('D79 beside other tracing', () => {
  const start = useStart();

  it('D79 beside an agent of a vendor, which instruments undici, no traceparent goes out', async () => {
    const agent = jest.fn();
    subscribe('undici:request:create', agent);
    const { service, upstream } = await start();
    await service.request('GetShippingDetails', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
    unsubscribe('undici:request:create', agent);
    expect(agent).toHaveBeenCalledTimes(1);
    expect(upstream.calls.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
    expect(service.requestLog.at(-1)?.trace_id).toBe(TRACE);
  });

  it('D79 beside another SDK, no traceparent goes out, and the log has its trace', async () => {
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    const { service, upstream } = await start();
    const server = service.app.getHttpServer();
    const emit = server.emit.bind(server) as (event: string, ...values: unknown[]) => boolean;
    // As an instrumentation of HTTP runs each request in a span.
    Object.assign(server, {
      emit: (event: string, ...values: unknown[]) => {
        if (event !== 'request') return emit(event, ...values);
        const span = trace.getTracer('http').startSpan('GET');
        const emitted = context.with(trace.setSpan(context.active(), span), () => emit(event, ...values));
        span.end();
        return emitted;
      },
    });
    await service.request('GetShippingDetails');
    expect(upstream.calls[0]?.headers).not.toHaveProperty('traceparent');
    const [{ traceId } = {}] = exporter.getFinishedSpans().map((span) => span.spanContext());
    expect(service.requestLog.at(-1)?.trace_id).toBe(traceId);
  });
});
