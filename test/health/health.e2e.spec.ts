import { Controller, Get } from '@nestjs/common';
import { once } from 'node:events';
import { ManagementRoute } from '../../src/common/route-metadata';
import { Lifecycle } from '../../src/health/health.module';
import { BoundedServer } from '../../src/http/server/bounded-server';
import { eventually } from '../../testing/upstream/eventually';
import { held } from '../../testing/upstream/responses';
import { exchangeRaw, unreadConnection } from '../faults/support/raw-connection';
import { expectProblem, expectResponse } from '../support/expected';
import { type HttpResponse, send } from '../support/http-client';
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

const PROBES = ['/health/live', '/health/ready', '/HEALTH/Live', '/%68ealth/ready', '//health/live/'];
const METRICS = ['/metrics', '/metrics/', '/METRICS', '/%6detrics'];
const MANAGEMENT = [...PROBES, ...METRICS];
const OPERATION_PATHS = OPERATIONS.map(({ request }) => `/api/Shipping/${request}`);
const OTHERS = ['/docs', '/openapi.json', '/openapi.yaml', '/', '/nowhere', ...OPERATION_PATHS];

@Controller()
class LargeController {
  /** Longer than what the kernel keeps for a client that does not read. */
  @Get()
  @ManagementRoute('/large')
  read(): string {
    return 'x'.repeat(16_777_216);
  }
}

describe('probes and metrics on a port of their own', () => {
  const scripted = useScriptedService({ MANAGEMENT_PORT: '0' });
  const sendThere = (path: string, method?: string): Promise<HttpResponse> =>
    send(scripted.service.managementUrl, path, { method });

  it.each(MANAGEMENT)('D25 %s is there', async (path) => {
    for (const method of ['GET', 'HEAD']) expect((await sendThere(path, method)).status).toBe(200);
    expectProblem(await sendThere(path, 'POST'), 405, 'method-not-allowed');
  });

  it.each(PROBES)('D25 %s is with the operations, too', async (path) => {
    const { status, body } = await scripted.service.get(path);
    expect([status, body]).toEqual([200, `{"status":"${/live/i.test(path) ? 'ok' : 'ready'}"}`]);
    expect((await sendThere(path)).body.includes('externalSystem')).toBe(path.includes('ready'));
    expectProblem(await scripted.service.get(path, { method: 'POST' }), 405, 'method-not-allowed');
  });

  it.each(METRICS)('D25 %s is not with the operations', async (path) => {
    expectProblem(await scripted.service.get(path), 404, 'route-not-found');
    expectProblem(await scripted.service.get(path, { method: 'POST' }), 404, 'route-not-found');
  });

  it.each(OTHERS)('D25 %s is not there', async (path) => {
    expectProblem(await sendThere(path), 404, 'route-not-found');
    expect(scripted.upstream.calls).toEqual([]);
  });
});

it('D25 D27 the port, with 256 connections of its own, opens first and closes last', async () => {
  const listen = jest.spyOn(BoundedServer.prototype, 'listen');
  const { service, upstream } = await startScriptedService({ ...PATIENT, MANAGEMENT_PORT: '0' });
  const operations = service.app.getHttpServer() as BoundedServer;
  const servers = listen.mock.contexts.filter((server) => server instanceof BoundedServer);
  expect([servers.indexOf(operations), servers[0]?.maxConnections]).toEqual([1, 256]);
  const { behaviour, release } = held();
  upstream.respondWith(behaviour);
  const last = service.request(DETAILS.request);
  await upstream.waitForCalls(1);
  const closed = service.close();
  await eventually('the first server is closed', () => !operations.listening);
  expect((await send(service.managementUrl, '/health/ready')).status).toBe(503);
  release();
  expectResponse(await last, 'complete');
  await closed;
  await expect(send(service.managementUrl, '/health/live')).rejects.toThrow('ECONNREFUSED');
  await upstream.close();
});

it('D27 a client of the port that does not read is closed', async () => {
  const closeAll = jest.spyOn(BoundedServer.prototype, 'closeAllConnections');
  const imports = [{ module: class {}, controllers: [LargeController] }];
  const { service, upstream } = await startScriptedService({ MANAGEMENT_PORT: '0' }, { imports });
  const client = await unreadConnection(service.managementUrl);
  client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(client, 'readable');
  const closed = service.close();
  await eventually('calls that cut it off', () => closeAll.mock.calls.length, 1);
  client.destroy();
  await closed;
  await upstream.close();
});
