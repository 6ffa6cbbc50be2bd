import { VERSION } from '../../src/common/version';
import type { Problem } from '../../src/http/problems/problem-definitions';
import { bearer } from '../../testing/key-server';
import { eventually } from '../../testing/upstream/eventually';
import { validResponse } from '../../testing/upstream/responses';
import { digestOf, useGuardedService } from '../access/access';
import { completenessOf } from '../support/expected';
import { DETAILS } from '../support/operations';
import { FORWARDING, PRIVATE, PRIVATE_HEADERS, PRIVATE_REQUESTS } from '../support/private-requests';
import { useScriptedService } from '../support/service';

// Every level writes what the levels above it do.
describe('D39 the log at level trace', () => {
  const once = { ...FORWARDING, LOG_LEVEL: 'trace', EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
  const scripted = useScriptedService({ ...once, EXTERNAL_SHIPPING_TOKEN: `token-${PRIVATE}` });

  const linesOf = (requestId: string): Record<string, unknown>[] =>
    scripted.service.requestLog.filter((line) => line.requestId === requestId);

  it.each(PRIVATE_REQUESTS)('has one line: $path', async (row) => {
    const { path, method = 'GET', behaviour = validResponse, route, status, completeness } = row;
    const requestId = `R-${PRIVATE_REQUESTS.indexOf(row)}`;
    scripted.upstream.respondWith(behaviour);
    const headers = { 'X-Request-Id': requestId, ...PRIVATE_HEADERS, traceparent: `00-${PRIVATE}` };
    const response = await scripted.service.get(path, { method, headers });
    // A second line would be there by the time the line of a later request is.
    await scripted.service.get('/health/live', { headers: { 'X-Request-Id': `${requestId}-after` } });
    await eventually('lines of the next request', () => linesOf(`${requestId}-after`).length, Boolean);

    const isProblem = response.headers['content-type']?.startsWith('application/problem+json') === true;
    const problem = (isProblem && method !== 'HEAD' ? JSON.parse(response.body) : {}) as Partial<Problem>;
    const [line, ...others] = linesOf(requestId);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      method,
      route,
      status,
      requestId,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      durationMs: expect.any(Number),
    });
    expect([line?.completeness, completenessOf(response)]).toEqual([completeness, completeness]);
    if (method !== 'HEAD') expect([line?.problem, line?.reason]).toEqual([problem.code, problem.reason]);
    expect(line?.client).toBeUndefined();
    expect(scripted.service.log.join('').toLowerCase()).not.toContain(PRIVATE);
  });
});

describe('D77 the log line names the client', () => {
  const KEY = 'a-key-0123456789-abcdef';
  const digest = digestOf(KEY);
  const guarded = useGuardedService({ AUTH_API_KEYS_SHA256: digest, AUTH_SCOPE: 'shipping.read' });
  const signed = async (sub: string, scope?: string): Promise<Record<string, string>> =>
    bearer(await guarded.keyServer.sign({ sub, scope }));

  it.each<[string, () => Promise<Record<string, string>>, string | undefined]>([
    ['a token by its subject', () => signed('client-7', 'shipping.read'), 'client-7'],
    ['a token without the scope as well', () => signed('client-8'), 'client-8'],
    ['a key by its digest', () => Promise.resolve({ 'X-API-Key': KEY }), digest.slice(0, 8)],
    ['an unknown key not at all', () => Promise.resolve({ 'X-API-Key': 'another-key' }), undefined],
    ['a forged token not at all', () => Promise.resolve(bearer('e30.e30.AA')), undefined],
  ])('%s', async (name, credentials, client) => {
    const requestId = name.replaceAll(' ', '-');
    await guarded.service.request(DETAILS.request, { ...(await credentials()), 'X-Request-Id': requestId });
    const isLine = (line: Record<string, unknown>): boolean => line.requestId === requestId;
    await eventually('the line of the request', () => guarded.service.requestLog.some(isLine));
    expect(guarded.service.requestLog.find(isLine)?.client).toBe(client);
  });
});

describe('D25 metrics', () => {
  const scripted = useScriptedService({ ...FORWARDING, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', LOG_LEVEL: 'debug' });
  let text: string;

  beforeAll(async () => {
    for (const { path, method, behaviour = validResponse } of PRIVATE_REQUESTS) {
      scripted.upstream.respondWith(behaviour);
      await scripted.service.get(path, { method, headers: { ...PRIVATE_HEADERS, 'X-Request-Id': PRIVATE } });
    }
    await scripted.service.untilLogged(PRIVATE_REQUESTS.length);
    text = (await scripted.service.get('/metrics')).body;
  });

  it('D25 have the same durations as the log, in seconds', () => {
    const sums = [...text.matchAll(/^http_server_request_duration_seconds_sum\{.*\} (\S+)$/gm)];
    const lines = scripted.service.requestLog.slice(0, PRIVATE_REQUESTS.length);
    const loggedMs = lines.reduce((sum, { durationMs }) => sum + Number(durationMs), 0);
    expect(sums.reduce((sum, [, seconds]) => sum + Number(seconds), 0)).toBeCloseTo(loggedMs / 1000, 6);
  });

  it('D25 name the version, as the line of the start does', () => {
    expect(text).toContain(`shipping_build_info{version="${VERSION}"} 1\n`);
    expect(scripted.service.logged.filter(({ version }) => version === VERSION)).toMatchObject([{ msg: 'Listening' }]);
  });

  it('D25 have no private values', () => {
    expect(text.toLowerCase()).not.toContain(PRIVATE);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  });

  it('D25 count attempts, retries and calls', () => {
    expect(text).toMatch(/^external_shipping_attempt_duration_seconds_count\{outcome="upstream-error"\} [1-9]/m);
    expect(text).toContain('external_shipping_policy_events_total{event="retried"} 0\n');
    for (const calls of ['in_flight 0', 'in_flight_limit 64', 'waiting 0', 'waiting_limit 1024']) {
      expect(text).toContain(`external_shipping_calls_${calls}\n`);
    }
  });
});
