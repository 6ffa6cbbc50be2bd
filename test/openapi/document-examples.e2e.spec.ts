import type { CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createDocument } from '../../src/app.openapi';
import { bearer, KeyServer } from '../../testing/key-server';
import { assertShape } from '../support/described-response';
import { endWaitsWhenDue } from '../support/held-waits';
import { read } from '../support/read';
import { ATTEMPT_MS, ONE_HELD_ATTEMPT, RunningService } from '../support/service';
import { useStarted } from '../support/started';

interface Example {
  readonly 'x-request'?: { readonly target: string; readonly fields?: Record<string, string> };
  readonly value: unknown;
}
interface Described {
  readonly content?: Record<string, { examples?: Record<string, Example> }>;
}
/** An example, and where it stands. */
interface Shown extends Example {
  readonly path: string;
  readonly status: number;
  readonly toString: () => string;
}

const COMMITTED = JSON.parse(read('openapi.json')) as OpenAPIObject;
const EXAMPLE_REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';
/** Circuits that are closed again at once. */
const ENVIRONMENT = { ...ONE_HELD_ATTEMPT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1', LOG_LEVEL: 'silent' };

/** The examples of all responses of all operations. */
function examplesOf({ paths }: OpenAPIObject): Shown[] {
  const responses = Object.entries(paths).flatMap(([path, { get }]) =>
    Object.entries(get?.responses ?? {}).map(([status, response]) => [path, status, response as Described] as const),
  );
  return responses.flatMap(([path, status, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
      Object.entries(examples).map(([name, example]) => {
        return { ...example, path, status: Number(status), toString: () => `${path} ${status} ${name}` };
      }),
    ),
  );
}

async function expectShown(service: RunningService, shown: Shown, more = {}): Promise<void> {
  const { path, status, value, 'x-request': request } = shown;
  const { target, fields } = request ?? { target: (value as { instance: string }).instance };
  expect(target.startsWith(path.replace(/\{\w+\}$/, ''))).toBe(true);
  const deadlines = endWaitsWhenDue(ATTEMPT_MS, () => target.includes('SIMULATE-TIMEOUT'));
  const got = await service.get(target, { headers: { ...fields, ...more, 'X-Request-Id': EXAMPLE_REQUEST_ID } });
  deadlines.restore();
  expect([got.status, typeof value === 'string' ? got.body : got.json()]).toEqual([status, value]);
}

/** Fails every request while it is on, as a defect of the service does. */
class FailingGuard implements CanActivate {
  static isOn = false;
  canActivate(): boolean {
    if (FailingGuard.isOn) throw new Error('Simulated');
    return true;
  }
}

describe('D72 the examples of openapi.json are what their requests get', () => {
  const ALL = examplesOf(COMMITTED);
  const providers = [{ provide: APP_GUARD, useClass: FailingGuard }];
  const imports = [{ module: class FailingModule {}, providers }];
  const service = useStarted(() => RunningService.start(ENVIRONMENT, { imports }));
  afterEach(() => (FailingGuard.isOn = false));

  const REQUESTED = ALL.filter(({ 'x-request': request }) => request !== undefined);
  it.each(REQUESTED)('%s', (shown) => expectShown(service(), shown));

  // A field that an example lacks would be missing on the page and in mock servers.
  it.each(ALL.filter(({ status }) => status === 200))('D13 %s has the documented fields', ({ path, value }) => {
    assertShape(path, value);
  });

  it('D72 the others are those of a defect', async () => {
    FailingGuard.isOn = true;
    const others = ALL.filter(({ status, 'x-request': request }) => status >= 400 && request === undefined);
    expect(others.length).toBeGreaterThanOrEqual(2);
    for (const shown of others) await expectShown(service(), shown);
  });

  const PATHS = Object.entries(COMMITTED.paths).filter(([path]) => path.startsWith('/api/'));
  it.each(PATHS)('D72 %s: parameters', async (path, { get }) => {
    const query = new URLSearchParams();
    let target = path;
    for (const parameter of get?.parameters ?? []) {
      const { name, schema } = parameter as { name: string; schema: { example?: string | number } };
      if (path.includes(`{${name}}`)) target = path.replace(`{${name}}`, String(schema.example));
      else if (schema.example !== undefined) query.set(name, String(schema.example));
    }
    const { status, headers, body } = await service().get(`${target}?${query.toString()}`);
    expect([status, headers['shipping-completeness']]).toEqual([200, expect.stringMatching(/^complete/)]);
    expect(body).toContain('SHP-000001');
  });

  it('D72 401, 403 and 429 are there where they are configured', async () => {
    const keys = await KeyServer.start();
    const cases: [status: number, env: Record<string, string>, headers: Record<string, string>][] = [
      [401, keys.env, {}],
      [403, { ...keys.env, AUTH_SCOPE: 'read' }, bearer(await keys.sign())],
      [429, { RATE_LIMIT_MAX: '1' }, {}],
    ];
    for (const [status, env, headers] of cases) {
      const restricted = await RunningService.start({ ...ENVIRONMENT, ...env });
      const shown = examplesOf(createDocument(restricted.app)).filter((example) => example.status === status);
      expect([status, shown.length]).toEqual([status, PATHS.length]);
      // The first request uses up the limit.
      await restricted.request('GetShippingPagedList');
      await Promise.all(shown.map((each) => expectShown(restricted, each, headers))).finally(() => restricted.close());
    }
    await keys.close();
  });
});
