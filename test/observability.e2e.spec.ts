import * as fc from 'fast-check';
import type { Problem } from '../src/http/problems/problem';
import { completenessOf } from './support/expectations';
import { FAILURE_REASONS } from '../src/resilience/upstream-failure';
import { parseExposition } from './support/exposition';
import { DETAILS, eventually, OPERATIONS, STRICT } from './support/operations';
import { PRIVATE, PRIVATE_HEADERS, ROWS, TEMPLATES } from './support/private-requests';
import { startScriptedService, useScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';
import { WireClient } from './support/upstream/wire-client';

// The last two show that no level says more of clients than the usual one.
describe.each(['info', 'debug', 'trace'])('the log at level %s', (level) => {
  const scripted = useScriptedService({
    LOG_LEVEL: level,
    EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    EXTERNAL_SHIPPING_TOKEN: `token-${PRIVATE}`,
  });
  let count = 0;

  const linesOf = (requestId: string): Record<string, unknown>[] =>
    scripted.service.requestLog.filter((line) => line.requestId === requestId);

  it.each(ROWS.map((row) => [row[0], row] as const))(
    'has one line of %s, and nothing private',
    async (_, [, path, told, behaviour, method = 'GET']) => {
      const requestId = `R-${level}-${++count}`;
      if (behaviour !== undefined) scripted.upstream.respondWith(behaviour);
      const headers = {
        'X-Request-Id': requestId,
        ...PRIVATE_HEADERS,
        traceparent: `00-${PRIVATE}`,
      };
      const answer = await scripted.service.get(path, { method, headers });
      await eventually(() => linesOf(requestId).length > 0);
      // A second line would be there by the time the line of a later request is.
      await scripted.service.get('/health/live', { headers: { 'X-Request-Id': `${requestId}-after` } });
      await eventually(() => linesOf(`${requestId}-after`).length > 0);

      const lines = linesOf(requestId);
      expect(lines).toHaveLength(1);
      const [line] = lines;
      expect(line).toMatchObject({ method, route: told.route, status: told.status, requestId });
      expect(line?.trace_id).toMatch(/^[0-9a-f]{32}$/);
      expect(line?.span_id).toMatch(/^[0-9a-f]{16}$/);
      expect(line?.status).toBe(answer.status);
      expect(line?.completeness).toBe(told.completeness);
      expect(line?.completeness).toBe(completenessOf(answer));
      const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') === true;
      const problem = (isProblem && method !== 'HEAD' ? JSON.parse(answer.body) : {}) as Partial<Problem>;
      if (method !== 'HEAD') expect([line?.problem, line?.reason]).toEqual([problem.code, problem.reason]);
      expect(line?.durationMs).toEqual(expect.any(Number));
      expect(line?.durationMs).toBeGreaterThanOrEqual(0);
      expect(scripted.service.log.join('').toLowerCase()).not.toContain(PRIVATE);
    },
  );

  it('malformed HTTP is not logged', async () => {
    const client = WireClient.to(scripted.service.url);
    client.send(`GET /${PRIVATE} HTTP/1.1\r\n${PRIVATE}: \x01\r\n${PRIVATE}\r\n\r\n`);
    expect((await client.response()).head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(scripted.service.log.join('').toLowerCase()).not.toContain(PRIVATE);
  });
});

describe('D25 metrics', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
  let text: string;

  beforeAll(async () => {
    for (const [, path, , behaviour, method] of ROWS) {
      scripted.upstream.respondWith(behaviour ?? json());
      await scripted.service.get(path, {
        method: method ?? 'GET',
        headers: { ...PRIVATE_HEADERS, 'X-Request-Id': PRIVATE },
      });
    }
    scripted.upstream.respondWith(status(500));
    await scripted.service.request(DETAILS.request, STRICT);
    await eventually(() => scripted.service.requestLog.length === ROWS.length + 1);
    text = (await scripted.service.get('/metrics')).body;
  });

  const samples = (): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('D25 is text as Prometheus wants it, with names and units as it has them', () => {
    for (const { name, type } of parseExposition(text).values()) {
      const suffix = name.split('_').at(-1);
      if (type === 'counter') expect([name, suffix]).toEqual([name, 'total']);
      if (type === 'histogram') expect([name, suffix]).toEqual([name, 'seconds']);
      // prom-client itself calls some gauges totals.
      if (type === 'gauge' && !name.startsWith('nodejs_')) expect([name, suffix]).not.toEqual([name, 'total']);
      expect(name).not.toMatch(/_(ms|milliseconds|kilobytes|percent)(_|$)/);
    }
  });

  it('D25 no series has private values', () => {
    expect(text.toLowerCase()).not.toContain(PRIVATE);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  });

  it.each(Object.values(TEMPLATES))('D25 requests of %s are counted by template', (route) => {
    expect(samples().some((line) => line.includes(`route="${route}"`))).toBe(true);
  });

  it('D25 statuses and completeness are labels', () => {
    for (const code of [200, 400, 404, 405, 500, 502]) expect(text).toMatch(new RegExp(`status="${code}"`));
    expect(text).toMatch(/="complete"/);
    expect(text).toMatch(/="partial/);
    expect(text).toMatch(/="unavailable/);
  });

  it('D25 the process and the external system are there', () => {
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(samples().some((line) => line.includes('external') && line.includes('upstream-error'))).toBe(true);
  });

  it('D25 no request creates an unknown label', async () => {
    const text = fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent);
    const hostile = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PROPFIND', 'QUERY', 'M-SEARCH', 'OPTIONS', 'TRACE', 'ACL'),
      path: fc.oneof(
        fc.array(text, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`),
        fc.array(text, { maxLength: 3 }).map((parts) => `/api/Shipping/${parts.join('/')}`),
        text.map((id) => `/api/Shipping/GetShippingInfoById/${id}`),
        fc
          .tuple(text, text)
          .map(([name, value]) => `/api/Shipping/GetShippingDetails?${name}=${value}&SearchTerm=${value}`),
        text.map((part) => `/docs/${part}`),
      ),
      headers: fc.record({ 'x-request-id': text, prefer: text, traceparent: text, accept: text }),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(hostile, async ({ method, path, headers, fails }) => {
        scripted.upstream.respondWith(fails ? status(500) : json());
        await scripted.service.get(path, { method, headers });
      }),
    );
    const outcomes = ['success', 'caller-left', ...FAILURE_REASONS];
    const completeness = ['none', 'complete', 'partial;reason=bad-reply'];
    const known: Readonly<Record<string, readonly string[]>> = {
      method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', '_OTHER'],
      completeness: [...completeness, ...FAILURE_REASONS.map((reason) => `unavailable;reason=${reason}`)],
      operation: ['single', 'by-id', 'details', 'paged'],
      outcome: outcomes,
      event: ['retried', 'shared', 'connection-replaced', 'refused-circuit-open', 'refused-saturated'],
      cause: ['active-requests', 'event-loop-lag', 'unsent-bytes'],
    };
    const route =
      /^(unmatched|\/|\/health\/(live|ready)|\/metrics|\/openapi\.(json|yaml)|\/docs(\/[\w./*-]*)?|\/api\/Shipping\/\w+(\/:id)?)$/;
    const families = parseExposition((await scripted.service.get('/metrics')).body);
    for (const { name, samples } of families.values()) {
      if (!/^(http_server|external_shipping)_/.test(name)) continue;
      for (const { labels } of samples) {
        const { route: template, status: code, le, ...others } = labels;
        if (template !== undefined) expect(template).toMatch(route);
        if (code !== undefined) expect(code).toMatch(/^[2-5]\d\d$/);
        if (le !== undefined) expect(le).toMatch(/^(\+Inf|[\d.]+)$/);
        for (const [label, value] of Object.entries(others))
          expect([name, label, known[label]]).toEqual([name, label, expect.arrayContaining([value])]);
      }
    }
  });

  it('D25 a thousand different requests make no new series', async () => {
    // A service of its own: the failures of the test before open circuits, whose outcomes come and go.
    const { service, upstream, close } = await startScriptedService();
    upstream.respondWith(json());
    // Of requests: those of the process begin whenever its collector does something for the first time.
    const series = async (): Promise<number> =>
      (await service.get('/metrics')).body.split('\n').filter((line) => !/^(#|nodejs_|process_)/.test(line)).length;
    const ask = async (tag: string): Promise<void> => {
      await service.request(`GetShippingInfoById/${tag}`);
      await service.request(`GetShippingDetails?SearchTerm=${tag}`);
      await service.get(`/${tag}`);
      await service.get(`/api/Shipping/${tag}`, { method: 'POST' });
      await service.get('/health/live', { headers: { 'X-Request-Id': tag, 'User-Agent': tag } });
    };
    const lines = service.requestLog.length;
    await ask('warm-up');
    await series();
    await eventually(() => service.requestLog.length === lines + 6);
    const before = await series();
    for (let index = 0; index < 200; index++) await ask(`tag-${index}`);
    expect(await series()).toBe(before);
    await close();
  });
});

describe('the responses of all operations', () => {
  it.each(OPERATIONS)('$name does not name the server software', async (operation) => {
    const scripted = await startScriptedService();
    scripted.upstream.respondWith(json());
    const { headers } = await scripted.service.request(operation.request);
    expect([headers.server, headers['x-powered-by']]).toEqual([undefined, undefined]);
    await scripted.close();
  });
});
