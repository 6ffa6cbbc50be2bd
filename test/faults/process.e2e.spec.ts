import { Agent } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { type HttpAnswer, send } from '../support/http-client';
import { eventually } from '../support/operations';
import { type Behaviour } from '../support/upstream/exchange';
import { delayed, json, status } from '../support/upstream/answers';
import { refusedUrl } from '../support/upstream/refused-url';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { RawConnection } from './support/raw-connection';
import { isRunning, type ProcessOptions, ServiceProcess } from './support/service-process';

const PUPPET = { preload: [join(__dirname, 'support/puppet.js')] };
/** What an orchestrator is promised. */
const DRAIN_MS = 25_000;
const HOUR_MS = 3_600_000;

// Each test starts a process or two, which compile the sources.
jest.setTimeout(45_000);

describe('the process', () => {
  const running: ServiceProcess[] = [];
  let upstream: ScriptedUpstream;

  beforeEach(async () => {
    upstream = await ScriptedUpstream.start();
    upstream.respondWith(json());
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.kill()));
    await upstream.close();
  });

  function spawn(env: Record<string, string>, options?: ProcessOptions): ServiceProcess {
    const service = ServiceProcess.spawn({ EXTERNAL_SHIPPING_BASE_URL: upstream.url, ...env }, options);
    running.push(service);
    return service;
  }

  async function start(env: Record<string, string> = {}, options?: ProcessOptions): Promise<ServiceProcess> {
    const service = spawn(env, options);
    await service.until(() => service.url !== '', 20_000, 'listening');
    return service;
  }

  const ask = (service: ServiceProcess, id: string, agent?: Agent): Promise<HttpAnswer> =>
    send(service.url, `/api/Shipping/GetShippingDetails?OrderId=${id}`, { agent });

  /** A behaviour that waits until it is released. */
  function held(): { behaviour: Behaviour; release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    return {
      behaviour: {
        perform: async (exchange) => {
          await released;
          await json().perform(exchange);
        },
      },
      release,
    };
  }

  describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
    it('writes its last lines, requests in flight included', async () => {
      const service = await start();
      await ask(service, 'LAST');
      service.signal(signal);
      await service.exit;
      const messages = service.log.map(({ msg }) => msg);
      expect(messages.slice(-3)).toEqual(['request', 'Draining', 'Stopped']);
    });

    it('answers a hundred requests in flight in full, closes idle connections, and exits 0', async () => {
      const service = await start({
        EXTERNAL_SHIPPING_MAX_CONCURRENT: '128',
        EXTERNAL_SHIPPING_TIMEOUT_MS: '15000',
        EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '15000',
      });
      const idle = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(service.url)));
      for (const connection of idle) connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all(idle.map((connection) => connection.receives(1)));
      const { behaviour, release } = held();
      upstream.respondWith(behaviour);
      const agent = new Agent({ keepAlive: true, maxSockets: 200 });
      const inFlight = Array.from({ length: 100 }, (_, index) => ask(service, `DRAIN-${index}`, agent));
      await upstream.waitForCalls(100, 10_000);

      const signalled = performance.now();
      service.signal(signal);
      await service.until(() => service.stdout.includes('"Draining"'), 5_000, 'draining');
      expect(await readiness(service)).toMatch(/^(503|refused)$/);
      service.signal(signal);
      service.signal('SIGTERM');
      release();

      const answers = await Promise.all(inFlight);
      expect(
        new Set(answers.map(({ status: code, headers }) => `${code} ${String(headers['shipping-completeness'])}`)),
      ).toEqual(new Set(['200 complete']));
      expect(new Set(answers.map(({ headers }) => headers.connection))).toEqual(new Set(['close']));
      const { code, at } = await service.exit;
      expect(code).toBe(0);
      expect(at - signalled).toBeLessThan(DRAIN_MS);
      await Promise.all(idle.map((connection) => connection.ending));
      expect(service.stderr).toBe('');
      agent.destroy();
    });
  });

  it('drains at once where nothing is in flight, idle keep-alive connections or not', async () => {
    const service = await start();
    const agent = new Agent({ keepAlive: true });
    await ask(service, 'IDLE', agent);
    const signalled = performance.now();
    service.signal('SIGTERM');
    const { code, at } = await service.exit;
    expect(code).toBe(0);
    expect(at - signalled).toBeLessThan(5_000);
    agent.destroy();
  });

  // Costs 21 seconds: the hard stop is part of the promise and no setting.
  it('clients that never finish their requests cannot keep it alive', async () => {
    const service = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
    });
    upstream.respondWith({ perform: (exchange) => exchange.untilGone() });
    const unfinished = await RawConnection.to(service.url);
    unfinished.send('GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\nX-Half: ');
    const unanswered = ask(service, 'HANGS').catch(() => 'cut off');
    await upstream.waitForCalls(1);
    const signalled = performance.now();
    service.signal('SIGTERM');
    const { code, at } = await service.exit;
    expect(code).toBe(0);
    expect(at - signalled).toBeLessThan(DRAIN_MS);
    await unanswered;
    await unfinished.ending;
  });

  // Before it listens for signals, at about the time it starts to, and once it listens for connections.
  it.each([100, 500, 700, 900, 1_200])('SIGTERM %i ms after its start ends it', async (afterMs) => {
    const service = spawn({});
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    service.signal('SIGTERM');
    const { code, signal } = await service.exit;
    expect([0, 'SIGTERM']).toContain(code ?? signal);
  });

  it('bad settings: exit 1, every fault named, no value told', async () => {
    const secret = 'hunter2';
    const bad = {
      PORT: `${secret}1`,
      LOG_LEVEL: `${secret}2`,
      EXTERNAL_SHIPPING_BASE_URL: `ftp://user:${secret}@host`,
      EXTERNAL_SHIPPING_TIMEOUT_MS: `-${secret}`,
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: `0${secret}`,
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '0',
      EXTERNAL_SHIPPING_MAX_CONCURRENT: '-1',
      EXTERNAL_SHIPPING_MAX_QUEUE: 'many',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1e3',
      EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '5MB',
      EXTERNAL_SHIPPING_TOKEN: `${secret} with a space`,
      EXTERNAL_SHIPPING_BY_ID_PATH: `/no-placeholder/${secret}`,
      SHIPPING_ID_PATTERN: `(${secret}`,
      CORS_ORIGINS: secret,
      AUTH_ISSUER: secret,
      AUTH_JWKS_URL: `https://user:${secret}@host/keys`,
      AUTH_API_KEYS_SHA256: secret,
      TRUST_PROXY: secret,
      REDIS_URL: `amqp://:${secret}@host`,
      MANAGEMENT_PORT: secret,
      SANDBOX_VARIANT: secret,
      SANDBOX_RECORDS: '0',
    };
    const service = spawn(bad);
    expect((await service.exit).code).toBe(1);
    for (const name of Object.keys(bad)) expect(service.stderr).toContain(name);
    expect(service.stdout + service.stderr).not.toMatch(/hunter2|at .+:\d+/);
  });

  it('probes and metrics on a port of their own: they are there before and after everything else, and it drains', async () => {
    const service = await start({ MANAGEMENT_PORT: '0', PORT: '0' });
    const management = String(service.log.find((line) => 'management' in line)?.management);
    expect(service.log.findIndex((line) => 'management' in line)).toBeLessThan(
      service.log.findIndex((line) => 'address' in line),
    );
    expect((await send(management, '/health/ready')).status).toBe(200);
    const { behaviour, release } = held();
    upstream.respondWith(behaviour);
    const inFlight = ask(service, 'LAST');
    await upstream.waitForCalls(1);
    const idle = await RawConnection.to(management);
    idle.send('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.receives(1);
    const unfinished = await RawConnection.to(management);
    unfinished.send('GET /metrics HTTP/1.1\r\nHost: a\r\nX-Half: ');

    const signalled = performance.now();
    service.signal('SIGTERM');
    await service.until(() => service.stdout.includes('"Draining"'), 5_000, 'draining');
    // The operations are not over, so that an orchestrator is still told.
    const told = await send(management, '/health/ready');
    expect([told.status, told.json().status, told.headers.connection]).toEqual([503, 'draining', 'close']);
    expect((await send(management, '/health/live')).status).toBe(200);
    release();
    expect((await inFlight).status).toBe(200);
    const { code, at } = await service.exit;
    expect(code).toBe(0);
    expect(at - signalled).toBeLessThan(10_000);
    await Promise.all([idle.ending, unfinished.ending]);
    expect(service.stderr).toBe('');
  });

  it('management port in use: exit 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const service = spawn({ MANAGEMENT_PORT: String(port) });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toContain('EADDRINUSE');
    taken.close();
  });

  it('no external system in production: exit 1', async () => {
    const service = spawn({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: '' });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toContain('EXTERNAL_SHIPPING_BASE_URL');
  });

  it('port in use: exit 1, and its sandbox ends with it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const service = spawn({ PORT: String(port), EXTERNAL_SHIPPING_BASE_URL: '', SANDBOX_RECORDS: '10' }, PUPPET);
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toContain('EADDRINUSE');
    await expectChildGone(service);
    taken.close();
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('its sandbox does not outlive %s', async (signal) => {
    const service = await start({ EXTERNAL_SHIPPING_BASE_URL: '', SANDBOX_RECORDS: '10' }, PUPPET);
    const [child] = childrenOf(service);
    expect(child !== undefined && isRunning(child)).toBe(true);
    service.signal(signal);
    await service.exit;
    await expectChildGone(service);
  });

  it('an event loop blocked for two seconds: operations are shed for a moment, probes are not', async () => {
    const service = await start({}, PUPPET);
    expect((await ask(service, 'BEFORE')).status).toBe(200);
    await service.ask({ blockMs: 2_000 }, 'done');

    const shed = await firstShed(service);
    expect(shed.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(shed.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(shed.json()).toMatchObject({ code: 'overloaded', requestId: shed.headers['x-request-id'] });
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect([path, (await send(service.url, path)).status]).toEqual([path, 200]);
    }
    const deadline = performance.now() + 5_000;
    while ((await ask(service, 'AFTER')).status !== 200) expect(performance.now()).toBeLessThan(deadline);
  });

  it.each([
    ['attempts', '10000'],
    ['calls', '1000'],
  ])('stopped for longer than the deadline of its %s while replies came: they are read', async (_, timeoutMs) => {
    const service = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: timeoutMs,
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '500',
    });
    await ask(service, 'WARM');
    const { behaviour, release } = held();
    upstream.respondWith(behaviour);
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    const inFlight = Array.from({ length: 30 }, (_unused, index) => ask(service, `STOPPED-${index}`, agent));
    await upstream.waitForCalls(31);
    await service.pause();
    release();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    service.signal('SIGCONT');

    const answers = (await Promise.all(inFlight)).map(({ headers }) => headers['shipping-completeness']);
    expect(new Set(answers)).toEqual(new Set(['complete']));
    // No attempt was taken for failed and made again.
    expect(upstream.calls).toHaveLength(31);
    agent.destroy();
  });

  it.each([
    ['forwards', HOUR_MS * 5],
    ['backwards', -HOUR_MS * 5],
  ])('a clock that jumps %s by hours moves no deadline, wait or open time', async (_, jumpMs) => {
    const env = {
      EXTERNAL_SHIPPING_TIMEOUT_MS: '1200',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1200',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1000',
    };
    const service = await start(env, PUPPET);
    upstream.respondWith(delayed(400));
    const across = ask(service, 'ACROSS');
    await upstream.waitForCalls(1);
    await service.ask({ jumpMs }, 'done');
    expect((await across).headers['shipping-completeness']).toBe('complete');

    upstream.respondWith({ perform: (exchange) => exchange.untilGone() });
    const start1 = performance.now();
    const late = ask(service, 'LATE');
    await upstream.waitForCalls(2);
    await service.ask({ jumpMs: -2 * jumpMs }, 'done');
    expect((await late).headers['shipping-completeness']).toBe('unavailable;reason=upstream-timeout');
    expect(performance.now() - start1).toBeGreaterThan(1_100);
    expect(performance.now() - start1).toBeLessThan(1_700);

    upstream.respondWith(status(500));
    await Promise.all(Array.from({ length: 30 }, (_unused, index) => ask(service, `TRIP-${index}`)));
    expect((await ask(service, 'OPEN')).headers['shipping-completeness']).toBe('unavailable;reason=circuit-open');
    const opened = performance.now();
    upstream.respondWith(json());
    await service.ask({ jumpMs: 2 * jumpMs }, 'done');
    expect((await ask(service, 'STILL-OPEN')).headers['shipping-completeness']).toBe('unavailable;reason=circuit-open');
    while ((await ask(service, 'AGAIN')).headers['shipping-completeness'] !== 'complete') {
      expect(performance.now() - opened).toBeLessThan(2_500);
    }
  });

  it('an external system that is not there keeps nothing from starting, answering and ending', async () => {
    const service = await start({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() });
    expect((await send(service.url, '/health/ready')).status).toBe(200);
    expect((await ask(service, 'NONE')).headers['shipping-completeness']).toBe(
      'unavailable;reason=upstream-unreachable',
    );
    service.signal('SIGTERM');
    expect((await service.exit).code).toBe(0);
  });

  /** What a probe is told: a status, or `refused`. */
  function readiness(service: ServiceProcess): Promise<string> {
    return send(service.url, '/health/ready').then(
      ({ status: code }) => String(code),
      () => 'refused',
    );
  }

  function childrenOf(service: ServiceProcess): number[] {
    return service.messages.flatMap(({ child }) => (typeof child === 'number' ? [child] : []));
  }

  async function expectChildGone(service: ServiceProcess): Promise<void> {
    const [child] = childrenOf(service);
    expect(child).toEqual(expect.any(Number));
    await eventually(() => child !== undefined && !isRunning(child), 5_000);
  }

  /** The first operation that is shed; the delay is measured from time to time. */
  async function firstShed(service: ServiceProcess): Promise<HttpAnswer> {
    const deadline = performance.now() + 3_000;
    for (;;) {
      const answer = await ask(service, 'SHED');
      if (answer.status === 503) return answer;
      expect(answer.status).toBe(200);
      if (performance.now() > deadline) throw new Error('No operation was shed');
    }
  }
});
