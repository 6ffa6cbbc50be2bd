import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { badJson, garbageBytes } from '../../testing/upstream/body-faults';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { wireBody, wireRecord } from '../../testing/upstream/records';
import { held, json, status } from '../../testing/upstream/responses';
import { BY_ID, DETAILS, OPERATIONS, STRICT } from '../support/operations';
import { type ScriptedService, useStart } from '../support/service';
import { PARENT, SAMPLED, TRACE, useSpans } from '../support/spans';

const { SERVER, CLIENT } = SpanKind;
const { UNSET, ERROR } = SpanStatusCode;

describe('D79 spans', () => {
  const exporter = useSpans();
  const start = useStart();
  let scripted: ScriptedService;

  // A service for each test has the whole budget of retries.
  beforeEach(async () => {
    scripted = await start({ LOG_LEVEL: 'trace' });
    exporter.reset();
  });

  /** The finished spans, once there are so many. */
  const spans = (count: number): Promise<ReadableSpan[]> => {
    const isWanted = (ended: ReadableSpan[]): boolean => ended.length >= count;
    return eventually('spans that ended', () => exporter.getFinishedSpans(), isWanted);
  };
  /** The span of the only request, and that of its only call. */
  const both = async (): Promise<ReadableSpan[]> => {
    const [call, server, ...others] = await spans(2);
    if (server?.kind !== SERVER || call?.kind !== CLIENT || others.length > 0) throw new Error('Not one of each');
    return [server, call];
  };

  it.each(OPERATIONS)(
    '$name: request and call, one within the other',
    async ({ request, externalPath, call: name }) => {
      await scripted.service.request(request, { ...SAMPLED, 'X-Request-Id': 'TRACED' });
      const [server, call] = await both();
      expect(server?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT, isRemote: true });
      expect(call?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: server?.spanContext().spanId });
      const headers = scripted.upstream.calls[0]?.headers ?? {};
      expect(headers.traceparent).toBe(`00-${TRACE}-${call?.spanContext().spanId ?? ''}-01`);
      const names = ['accept', 'connection', 'host', 'traceparent', 'user-agent', 'x-request-id'];
      expect(Object.keys(headers).sort()).toEqual(names);
      await scripted.service.untilLogged(1);
      const line = { requestId: 'TRACED', trace_id: TRACE, span_id: server?.spanContext().spanId };
      expect(scripted.service.requestLog).toMatchObject([line]);

      const [operation = ''] = request.split(/[?/]/);
      const route = `/api/Shipping/${operation}${request === BY_ID.request ? '/:id' : ''}`;
      const template = externalPath.replace('SHP-1', '{id}');
      const { origin, hostname, port } = new URL(scripted.upstream.url);
      expect([server?.name, call?.name]).toEqual([`GET ${route}`, `GET ${template}`]);
      const common = { 'http.request.method': 'GET', 'http.response.status_code': 200 };
      const url = { 'url.path': route, 'url.scheme': 'http' };
      expect(server?.attributes).toEqual({
        ...common,
        ...url,
        'http.route': route,
        'shipping.completeness': 'complete',
      });
      expect(call?.attributes).toEqual({
        ...common,
        'server.address': hostname,
        'server.port': Number(port),
        'shipping.operation': name,
        'url.full': origin + template,
        'url.template': template,
      });
      expect([server?.status.code, call?.status.code]).toEqual([UNSET, UNSET]);
    },
  );

  it('D22 a trace that is not sampled has no spans', async () => {
    await scripted.service.request(DETAILS.request, { traceparent: `00-${TRACE}-${PARENT}-00` });
    const continued = new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`);
    expect(scripted.upstream.calls[0]?.headers.traceparent).toMatch(continued);
    await scripted.service.request(DETAILS.request, { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` });
    const [server, call] = await both();
    expect(server?.parentSpanContext).toBeUndefined();
    expect(call?.spanContext().traceId).toBe(server?.spanContext().traceId);
  });

  it('D22 D26 each attempt has a span, its own traceparent, and the id of the request', async () => {
    let calls = 0;
    scripted.upstream.respondWith(() => (++calls === 1 ? status(503) : json()));
    await scripted.service.request(DETAILS.request, { ...SAMPLED, 'X-Request-Id': 'R-7' });
    const attempts = (await spans(3)).filter(({ kind }) => kind === CLIENT);
    const columns = ['http.response.status_code', 'error.type'];
    const rows = attempts.map(({ attributes, status: { code } }) => [...columns.map((name) => attributes[name]), code]);
    const failed = [503, 'upstream-error', ERROR];
    expect(rows).toEqual([failed, [200, undefined, UNSET]]);
    expect(scripted.upstream.calls.map(({ headers }) => headers['x-request-id'])).toEqual(['R-7', 'R-7']);
    const spanIds = scripted.upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[2]);
    expect(spanIds).toEqual(attempts.map((span) => span.spanContext().spanId));
  });

  const partial = json(wireBody({ ShippingDetails: [wireRecord({ TotalWeight: 'heavy' })] }));
  it.each([
    { name: 'a failed list', sends: badJson(), completeness: 'unavailable;reason=bad-reply', callError: 'bad-reply' },
    { name: 'a partial list', sends: partial, completeness: 'partial;reason=bad-reply' },
    { name: 'no match', sends: status(404), operation: BY_ID, code: 404 },
    { name: 'a strict client', sends: status(400), prefer: STRICT, code: 502, callError: 'upstream-error' },
  ])('$name', async ({ sends, operation = DETAILS, prefer, code = 200, completeness, callError }) => {
    scripted.upstream.respondWith(sends);
    await scripted.service.request(operation.request, prefer);
    const [server, call] = await both();
    const isError = code >= 500;
    expect(server?.attributes['http.response.status_code']).toBe(code);
    expect(server?.attributes['shipping.completeness']).toBe(completeness);
    expect([server?.attributes['error.type'], server?.status.code]).toEqual(
      isError ? [String(code), ERROR] : [undefined, UNSET],
    );
    expect([call?.attributes['error.type'], call?.status.code]).toEqual([callError, callError ? ERROR : UNSET]);
    for (const span of [server, call]) expect([span?.status.message, span?.events]).toEqual([undefined, []]);
  });

  it('a client disconnect ends the spans of its request', async () => {
    scripted.upstream.respondWith(neverResponds());
    const leave = scripted.service.leaving(DETAILS.request);
    await scripted.upstream.waitForCalls(1);
    await leave();
    const ended = await spans(2);
    expect(ended.find(({ kind }) => kind === SERVER)?.attributes['http.response.status_code']).toBe(499);
    expect(ended.find(({ kind }) => kind === CLIENT)?.attributes['error.type']).toBe('caller-left');
  });

  it('D75 a shared call has a span of its own', async () => {
    scripted = await start({ CACHE_TTL_MS: '60000', EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    const { behaviour, release } = held(garbageBytes());
    scripted.upstream.respondWith(behaviour);
    const leave = scripted.service.leaving(DETAILS.request);
    await scripted.upstream.waitForCalls(1);
    await leave();
    expect((await spans(1)).map(({ kind }) => kind)).toEqual([SERVER]);
    release();
    expect((await spans(2)).find(({ kind }) => kind === CLIENT)?.attributes['error.type']).toBe('bad-reply');
  });

  it('a refused request has a span, probes have none', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) await scripted.service.get(path);
    await scripted.service.request('GetShippingDetails?Limit=0', SAMPLED);
    await scripted.service.request('%zz', SAMPLED);
    await scripted.service.get('/elsewhere', { headers: SAMPLED });
    expect((await spans(3)).map((span) => [span.name, span.attributes['http.response.status_code']])).toEqual([
      ['GET /api/Shipping/GetShippingDetails', 400],
      ['GET', 400],
      ['GET', 404],
    ]);
  });
});
