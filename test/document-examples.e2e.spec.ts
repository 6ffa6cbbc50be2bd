import './support/silent-nest';
import type { CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocument } from '../src/app.docs';
import { Lifecycle } from '../src/health/lifecycle';
import { BoundedServer } from '../src/http/server/bounded-server';
import { startSandbox, type RunningSandbox } from '../src/sandbox/start-sandbox';
import { exchangeRaw } from './faults/support/raw-connection';
import { bearer, KeyServer } from './support/key-server';
import { RunningService, startScriptedService, type ScriptedService } from './support/service';
import { neverResponds } from './support/upstream/connection-faults';
import { json } from './support/upstream/responses';

interface Example {
  readonly summary: string;
  readonly 'x-request': { target: string; method?: string; fields?: Record<string, string> };
  readonly value: unknown;
}
interface Got {
  readonly status: number;
  readonly body: string;
}
/** An example, where it stands, and what its problem is called. */
interface Shown {
  readonly path: string;
  readonly status: number;
  readonly example: Example;
  readonly code: string;
  readonly reason?: string;
  readonly toString: () => string;
}

const COMMITTED = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as OpenAPIObject;
const PAGED = '/api/Shipping/GetShippingPagedList';
const REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';

/** The examples of all responses of all operations, with the name under which each stands. */
function examplesOf({ paths }: OpenAPIObject): Shown[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    Object.entries(get?.responses ?? {}).flatMap(([status, response]) =>
      Object.values(
        (response as { content?: Record<string, { examples?: Record<string, Example> }> }).content ?? {},
      ).flatMap(({ examples = {} }) =>
        Object.entries(examples).map(([name, example]) => {
          const { code = '', reason } = example.value as { code?: string; reason?: string };
          return { path, status: Number(status), example, code, reason, toString: () => `${path} ${status} ${name}` };
        }),
      ),
    ),
  );
}

/** Fails every request while it is on, as an error of the service itself does. */
class FailingGuard implements CanActivate {
  static isOn = false;
  canActivate(): boolean {
    if (FailingGuard.isOn) throw new Error('Simulated');
    return true;
  }
}

describe('D56 the examples of openapi.json are what their requests get', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;
  /** Has no calls yet. */
  let fresh: RunningService;
  /** Its only slot is taken. */
  let full: ScriptedService;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: 2000, variant: 'extended' });
    const env = {
      EXTERNAL_SHIPPING_BASE_URL: sandbox.url,
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1',
      LOG_LEVEL: 'silent',
    };
    service = await RunningService.start(env, {
      imports: [{ module: class FailingModule {}, providers: [{ provide: APP_GUARD, useClass: FailingGuard }] }],
    });
    fresh = await RunningService.start({ ...env, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
    full = await startScriptedService({
      EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
      EXTERNAL_SHIPPING_MAX_QUEUE: '0',
      EXTERNAL_SHIPPING_TIMEOUT_MS: '120000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '120000',
    });
    full.upstream.respondWith(neverResponds());
    void full.service.request('GetShippingInfoById/HOLDS-THE-SLOT').catch(() => undefined);
    await full.upstream.waitForCalls(1);
  });
  afterAll(async () => {
    full.upstream.respondWith(json());
    full.upstream.hangUp();
    await full.close();
    for (const each of [service, fresh]) await each.close();
    await sandbox.stop();
  });

  const ask = ({ 'x-request': { target, method, fields: headers } }: Example, of = service): Promise<Got> =>
    of.get(target, { method, headers: { ...headers, 'X-Request-Id': REQUEST_ID } });

  const raw = async (bytes: string): Promise<Got> =>
    (await exchangeRaw(service.url, bytes))[0] ?? { status: 0, body: '' };

  /** What it takes besides the request, by the code or the reason of the problem. */
  const CIRCUMSTANCES: Readonly<Record<string, (example: Example) => Promise<Got>>> = {
    'bad-request': ({ 'x-request': { target } }) =>
      raw(`GET ${target} HTTP/1.1\r\nX-Request-Id: ${REQUEST_ID}\r\n\r\n`),
    'header-fields-too-large': ({ 'x-request': { target } }) => service.get(`${target}?x=${'x'.repeat(20_480)}`),
    'request-timeout': async ({ 'x-request': { target } }) => {
      const server = service.app.getHttpServer();
      Object.assign(server, { headersTimeout: 100, requestTimeout: 100 });
      return raw(`GET ${target} HTTP/1.1\r\nHost: a\r\n`).finally(() =>
        Object.assign(server, { headersTimeout: 10_000, requestTimeout: 10_000 }),
      );
    },
    'internal-error': async (example) => {
      FailingGuard.isOn = true;
      return ask(example).finally(() => (FailingGuard.isOn = false));
    },
    overloaded: async (example) => {
      const unread = jest.spyOn(BoundedServer.prototype, 'isFull', 'get').mockReturnValue(true);
      return ask(example).finally(() => {
        unread.mockRestore();
      });
    },
    'circuit-open': async (example) => {
      for (let call = 0; call < 20; call += 1) await ask(example, fresh);
      return ask(example, fresh);
    },
    saturated: (example) => ask(example, full.service),
  };

  const ALL = examplesOf(COMMITTED);
  const PROBES = ALL.filter(({ path, code }) => path === '/health/ready' && code === '');

  it('are there for each operation, success and error', () => {
    for (const [path, { get }] of Object.entries(COMMITTED.paths)) {
      const statuses = Object.keys(get?.responses ?? {}).filter((status) => status !== '304');
      expect(
        statuses.filter((status) => !ALL.some((one) => one.path === path && String(one.status) === status)),
      ).toEqual([]);
    }
  });

  it.each(ALL.filter((one) => !PROBES.includes(one)))('%s', async ({ path, status, example, code, reason }) => {
    const [start = ''] = path.split('{');
    expect(example['x-request'].target).toMatch(new RegExp(`^${start}`));
    const got = await (CIRCUMSTANCES[reason ?? code] ?? ask)(example);
    expectShown(got, status, example.value);
  });

  it('/health/ready, while ready and draining', async () => {
    const probe = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url });
    await probe.get(PAGED);
    for (const { status, example } of PROBES) {
      if (status === 503) probe.app.get(Lifecycle).draining();
      expectShown(await ask(example, probe), status, example.value);
    }
    await probe.close();
  });

  it('with authentication and rate limiting', async () => {
    const keys = await KeyServer.start();
    const nowhere = { ...keys.env, AUTH_JWKS_URL: 'http://127.0.0.1:9/keys' };
    const hour = Math.floor(Date.now() / 1000) - 3600;
    const cases: [code: string, env: Record<string, string>, headers: Record<string, string>][] = [
      ['authentication-required', keys.env, {}],
      ['invalid-credentials', keys.env, bearer(await keys.sign({ exp: hour }))],
      ['invalid-credentials', { AUTH_API_KEYS_SHA256: 'ab'.repeat(32) }, {}],
      ['insufficient-scope', { ...keys.env, AUTH_SCOPE: 'read' }, bearer(await keys.sign())],
      ['keys-unavailable', nowhere, bearer(await keys.sign())],
      ['rate-limit-exceeded', { RATE_LIMIT_MAX: '1' }, {}],
    ];
    for (const [code, env, headers] of cases) {
      const restricted = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url, ...env });
      const shown = examplesOf(createDocument(restricted.app)).filter((one) => one.code === code);
      expect([code, shown.length]).toEqual([code, Object.keys(COMMITTED.paths).length - 2]);
      // Uses up the limit; and an expired token does not wait for the first keys, a valid one does. On a busy machine these
      // can come too late.
      let first: Got;
      do first = await restricted.get(PAGED, { headers: bearer(await keys.sign()) });
      while (first.status === 503 && code !== 'keys-unavailable');
      for (const { status, example } of shown) {
        const request = { ...example['x-request'], fields: { ...example['x-request'].fields, ...headers } };
        expectShown(await ask({ ...example, 'x-request': request }, restricted), status, example.value);
      }
      await restricted.close();
    }
    await keys.close();
  });
});

function expectShown({ status, body }: Got, expected: number, value: unknown): void {
  if (typeof value === 'string') {
    expect([status, body]).toEqual([expected, value]);
    return;
  }
  const got = JSON.parse(body) as { instance?: string; requestId?: string };
  // A request that was not read as far as its path has an id of its own.
  if (got.instance === '') got.requestId = REQUEST_ID;
  expect([status, got]).toEqual([expected, value]);
}
