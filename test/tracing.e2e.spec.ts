import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { Tracing } from '../src/observability/tracing/open-telemetry';
import { installTracing } from '../src/observability/tracing/tracing';
import { BY_ID, DETAILS, eventually, OPERATIONS, STRICT } from './support/operations';
import { PRIVATE, PRIVATE_HEADERS, ROWS } from './support/private-requests';
import { useMonotonicClock } from './support/monotonic-clock';
import { startScriptedService, type ScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';
import { badJson } from './support/upstream/body-faults';
import { neverResponds } from './support/upstream/connection-faults';
import { anyReply, wireRecord } from './support/upstream/records';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` };

const { INTERNAL, SERVER, CLIENT } = SpanKind;
const { UNSET, ERROR } = SpanStatusCode;

/** Knows how many spans have not ended. */
class CountingProcessor extends SimpleSpanProcessor {
  open = 0;

  override onStart(): void {
    this.open += 1;
  }

  override onEnd(span: ReadableSpan): void {
    this.open -= 1;
    super.onEnd(span);
  }
}

describe('tracing', () => {
  const exporter = new InMemorySpanExporter();
  const processor = new CountingProcessor(exporter);
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  const clock = useMonotonicClock();
  let scripted: ScriptedService;

  beforeAll(async () => {
    provider.register({ propagator: null });
    installTracing(new Tracing(() => provider.shutdown()));
    scripted = await startScriptedService({ LOG_LEVEL: 'trace' });
  });
  afterAll(async () => {
    await scripted.close();
    installTracing(undefined);
    await provider.shutdown();
  });
  beforeEach(async () => {
    // The last span of a request may end after its response has come.
    await eventually(() => processor.open === 0);
    exporter.reset();
    // Each test has the whole budget of retries.
    clock.advance(60_000);
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });

  const spans = (kind?: SpanKind): ReadableSpan[] =>
    exporter.getFinishedSpans().filter((span) => kind === undefined || span.kind === kind);
  /** The only span of its kind, once the request is over. */
  const only = async (kind: SpanKind): Promise<ReadableSpan> => {
    await eventually(() => spans(SERVER).length > 0 && spans(kind).length > 0);
    const [span, ...others] = spans(kind);
    if (span === undefined || others.length > 0) throw new Error(`There are ${spans(kind).length}`);
    return span;
  };

  it.each(OPERATIONS)(
    '$name: request, query and call, each within the one before',
    async ({ request, externalPath }) => {
      await scripted.service.request(request, SAMPLED);
      const [server, query, call] = [await only(SERVER), await only(INTERNAL), await only(CLIENT)];
      expect(server.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT, isRemote: true });
      expect(query.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
      expect(call.parentSpanContext?.spanId).toBe(query.spanContext().spanId);
      for (const span of spans()) expect(span.spanContext().traceId).toBe(TRACE);
      // The external system is told of the call, and of nothing else.
      const headers = scripted.upstream.calls[0]?.headers ?? {};
      expect(headers.traceparent).toBe(`00-${TRACE}-${call.spanContext().spanId}-01`);
      expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'traceparent', 'x-request-id']);

      const [operation = ''] = request.split(/[?/]/);
      const route = `/api/Shipping/${operation}${request === BY_ID.request ? '/:id' : ''}`;
      const template = externalPath.replace('SHP-1', '{id}');
      const { origin, hostname, port } = new URL(scripted.upstream.url);
      expect([server.name, query.name, call.name]).toEqual([`GET ${route}`, `${operation}Query`, `GET ${template}`]);
      expect(server.attributes).toEqual({
        'http.request.method': 'GET',
        'http.route': route,
        'http.response.status_code': 200,
        'url.path': route,
        'url.scheme': 'http',
        'shipping.completeness': 'complete',
      });
      expect(query.attributes).toEqual({ 'shipping.query': `${operation}Query`, 'shipping.completeness': 'complete' });
      expect(call.attributes).toEqual({
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'server.address': hostname,
        'server.port': Number(port),
        'shipping.operation': expect.any(String),
        'url.full': origin + template,
        'url.template': template,
      });
      expect(spans().map((span) => span.status.code)).toEqual([UNSET, UNSET, UNSET]);
    },
  );

  it('the log line names the span of the request', async () => {
    await scripted.service.request(DETAILS.request, { ...SAMPLED, 'X-Request-Id': 'TRACED' });
    const server = await only(SERVER);
    await eventually(() => scripted.service.requestLog.some((line) => line.requestId === 'TRACED'));
    expect(scripted.service.requestLog.find((line) => line.requestId === 'TRACED')).toMatchObject({
      trace_id: TRACE,
      span_id: server.spanContext().spanId,
    });
  });

  it('D22 a trace that the client did not sample is continued and not sampled', async () => {
    await scripted.service.request(DETAILS.request, { traceparent: `00-${TRACE}-${PARENT}-00` });
    expect(scripted.upstream.calls[0]?.headers.traceparent).toMatch(
      new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`),
    );
    await scripted.service.request(DETAILS.request, SAMPLED);
    await only(SERVER);
  });

  it.each<Record<string, string>>([{}, { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }])(
    'D22 a trace begins where %j is no trace',
    async (headers) => {
      await scripted.service.request(DETAILS.request, headers);
      const server = await only(SERVER);
      expect(server.parentSpanContext).toBeUndefined();
      expect((await only(CLIENT)).spanContext().traceId).toBe(server.spanContext().traceId);
      expect(server.spanContext().traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    },
  );

  it('each attempt has a span, and its own traceparent', async () => {
    let calls = 0;
    scripted.upstream.respondWith(() => (++calls === 1 ? status(503) : json()));
    await scripted.service.request(DETAILS.request, SAMPLED);
    await eventually(() => spans(SERVER).length === 1);
    const attempts = spans(CLIENT);
    expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 200]);
    expect(attempts.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1]);
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual(['upstream-error', undefined]);
    expect(attempts.map((span) => span.status.code)).toEqual([ERROR, UNSET]);
    expect(scripted.upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[2])).toEqual(
      attempts.map((span) => span.spanContext().spanId),
    );
    expect((await only(INTERNAL)).status.code).toBe(UNSET);
  });

  it('a degraded response is an event of request and query; the failure is one of the call', async () => {
    scripted.upstream.respondWith(badJson());
    await scripted.service.request(DETAILS.request, SAMPLED);
    await eventually(() => spans(SERVER).length === 1);
    const degraded = { 'shipping.completeness': 'unavailable', 'shipping.completeness.reason': 'bad-reply' };
    expect((await only(SERVER)).attributes).toMatchObject({ ...degraded, 'http.response.status_code': 200 });
    expect((await only(INTERNAL)).attributes).toMatchObject(degraded);
    for (const call of spans(CLIENT)) {
      expect([call.attributes['error.type'], call.status.code]).toEqual(['bad-reply', ERROR]);
    }
  });

  it('a partial response is no error', async () => {
    scripted.upstream.respondWith(json(anyReply({ ShippingDetails: [wireRecord({ TotalWeight: 'heavy' })] })));
    await scripted.service.request(DETAILS.request, SAMPLED);
    expect((await only(SERVER)).attributes['shipping.completeness']).toBe('partial');
    expect(spans().map((span) => span.status.code)).toEqual([UNSET, UNSET, UNSET]);
  });

  it('a strict client gets a failed request', async () => {
    scripted.upstream.respondWith(status(501));
    expect((await scripted.service.request(DETAILS.request, { ...SAMPLED, ...STRICT })).status).toBe(502);
    const [server, query] = [await only(SERVER), await only(INTERNAL)];
    expect([server.status.code, server.attributes['error.type']]).toEqual([ERROR, '502']);
    expect([query.status.code, query.attributes['error.type']]).toEqual([ERROR, 'upstream-error']);
    for (const span of spans()) expect([span.status.message, span.events]).toEqual([undefined, []]);
  });

  it('no match is no error', async () => {
    scripted.upstream.respondWith(status(404));
    expect((await scripted.service.request(BY_ID.request, SAMPLED)).status).toBe(404);
    await only(SERVER);
    expect(spans().map((span) => span.status.code)).toEqual([UNSET, UNSET, UNSET]);
  });

  it('a client disconnect ends the spans of its request', async () => {
    scripted.upstream.respondWith(neverResponds());
    const controller = new AbortController();
    const path = `/api/Shipping/${DETAILS.request}`;
    const asked = scripted.service.get(path, { headers: SAMPLED, signal: controller.signal }).catch(() => undefined);
    await scripted.upstream.waitForCalls(1);
    controller.abort();
    await asked;
    await eventually(() => spans().length === 3);
    expect((await only(SERVER)).attributes['http.response.status_code']).toBe(499);
    expect((await only(CLIENT)).attributes['error.type']).toBe('caller-left');
    expect((await only(INTERNAL)).attributes['error.type']).toBe('caller-left');
  });

  it('a query that is refused has a request and nothing more; probes and scrapes have nothing', async () => {
    await scripted.service.get('/health/live');
    await scripted.service.get('/health/ready');
    await scripted.service.get('/metrics');
    await scripted.service.request('GetShippingDetails?Limit=0', SAMPLED);
    await scripted.service.request('%zz', SAMPLED);
    await scripted.service.get('/elsewhere', { headers: SAMPLED });
    await eventually(() => spans().length === 3);
    expect(spans().map((span) => [span.name, span.attributes['http.response.status_code']])).toEqual([
      ['GET /api/Shipping/GetShippingDetails', 400],
      ['GET', 400],
      ['GET', 404],
    ]);
    for (const span of spans()) expect(span.parentSpanContext?.spanId).toBe(PARENT);
  });

  it('no request value is part of a span, and tracestate and baggage are not sent', async () => {
    for (const [, path, , behaviour, method = 'GET'] of ROWS) {
      scripted.upstream.respondWith(behaviour ?? json());
      await scripted.service.get(path, {
        method,
        headers: { ...PRIVATE_HEADERS, ...SAMPLED, 'X-Request-Id': PRIVATE },
      });
    }
    const traced = ROWS.filter(([, path]) => !/^\/(health|metrics)/.test(path));
    await eventually(() => spans(SERVER).length === traced.length);
    const told = spans().map((span) => [
      [span.name, span.attributes, span.status, span.events, span.links, span.resource.attributes],
      [span.spanContext(), span.parentSpanContext],
    ]);
    expect(told).not.toHaveLength(0);
    expect(JSON.stringify(told).toLowerCase()).not.toContain(PRIVATE);
    const tracestates = spans().map((span) => [span.spanContext().traceState, span.parentSpanContext?.traceState]);
    expect(tracestates.flat().filter((state) => state !== undefined)).toEqual([]);
    for (const { headers } of scripted.upstream.calls) {
      expect([headers.tracestate, headers.baggage]).toEqual([undefined, undefined]);
    }
  });
});
