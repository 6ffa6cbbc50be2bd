import { Lifecycle } from '../../src/health/health.module';
import { BoundedServer } from '../../src/http/server/bounded-server';
import { eventually } from '../../testing/upstream/eventually';
import { held } from '../../testing/upstream/responses';
import { exchangeRaw } from '../faults/support/raw-connection';
import { expectProblem } from '../support/expected';
import { DETAILS, OPERATIONS } from '../support/operations';
import { PATIENT, RunningService, startScriptedService, useScriptedService } from '../support/service';

describe('D25 probes, metrics and docs', () => {
  const scripted = useScriptedService(PATIENT);

  it.each([
    ['/health/live', /^application\/json/, /^\{"status":"ok"\}$/],
    ['/health/ready', /^application\/json/, /"status":"ready".*"externalSystem":\{/],
    ['/metrics', /^text\/plain/, /^# TYPE process_cpu_seconds_total counter$/m],
  ])('D25 GET %s', async (path, type, body) => {
    const response = await scripted.service.get(path);
    expect([response.status, response.headers['content-type']]).toEqual([200, expect.stringMatching(type)]);
    expect(response.body).toMatch(body);
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each(['starting', 'draining'] as const)('D25 D27 a process that is %s lives, and is not ready', async (state) => {
    const lifecycle = scripted.service.app.get(Lifecycle);
    lifecycle.state = state;
    const [ready, live] = [await scripted.service.get('/health/ready'), await scripted.service.get('/health/live')];
    lifecycle.state = 'ready';
    expect([ready.status, ready.json().status, live.status]).toEqual([503, state, 200]);
  });
});

it('D27 of pipelined requests, only the last response closes the connection', async () => {
  const { service, upstream, close } = await startScriptedService(PATIENT);
  const { behaviour, release } = held();
  upstream.respondWith(behaviour);
  const request = `GET /api/Shipping/${DETAILS.request} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const inFlight = exchangeRaw(service.url, request.repeat(2), 2);
  await upstream.waitForCalls(1);
  const closed = close();
  release();
  const responses = await inFlight;
  expect(responses.map(({ status, headers }) => [status, headers.connection])).toEqual([
    [200, ['keep-alive']],
    [200, ['close']],
  ]);
  await closed;
  await expect(service.get('/health/live')).rejects.toThrow('ECONNREFUSED');
});

it('D27 an application that code has closed does not keep the process from its end', async () => {
  const env = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' };
  const closed = await RunningService.start(env);
  await RunningService.start(env);
  await closed.close();
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  // The time limits of the shutdown would end the process of the tests.
  jest.spyOn(globalThis, 'setTimeout').mockReturnValue(undefined as never);
  process.emit('SIGTERM', 'SIGTERM');
  await eventually('ends of the process', () => exit.mock.calls.length, 1);
  expect(exit).toHaveBeenCalledWith(0);
  jest.restoreAllMocks();
});

describe('load shedding', () => {
  const scripted = useScriptedService();

  beforeEach(() => {
    jest.spyOn(BoundedServer.prototype, 'isFull', 'get').mockReturnValue(true);
  });

  it.each(OPERATIONS)('D59 $name is 503 with Retry-After', async ({ request }) => {
    const response = await scripted.service.request(request);
    expectProblem(response, 503, 'overloaded');
    expect(response.headers['retry-after']).toBe('1');
    expect(response.headers['shipping-overload']).toBe('unsent-bytes');
  });

  it('D34 Shipping-Overload: close gets a closed connection', async () => {
    const headers = { 'Shipping-Overload': 'close' };
    const before = await scripted.service.metric('http_server_refused_requests_total{cause="unsent-bytes"}');
    await expect(scripted.service.request(DETAILS.request, headers)).rejects.toThrow('socket hang up');
    expect(await scripted.service.metric('http_server_refused_requests_total{cause="unsent-bytes"}')).toBe(before + 1);
    jest.restoreAllMocks();
    expect((await scripted.service.request(DETAILS.request, headers)).status).toBe(200);
  });

  it.each(['/docs', '/openapi.json', '/openapi.yaml', '/problems'])('D59 %s is refused', async (path) => {
    expectProblem(await scripted.service.get(path), 503, 'overloaded');
  });

  it.each(['/health/live', '/health/ready', '/metrics'])('D25 %s responds all the same', async (path) => {
    expect((await scripted.service.get(path)).status).toBe(200);
  });
});
