import type { OpenAPIObject } from '@nestjs/swagger';
import { createDocument } from '../../src/app.openapi';
import { EXAMPLE_REQUEST_ID, type Problem } from '../../src/http/problems/problem-definitions';
import { bearer, KeyServer } from '../../testing/key-server';
import { status as answer } from '../../testing/upstream/responses';
import { assertShape } from '../support/described-response';
import { examplesOf } from '../support/document-examples';
import { read } from '../support/read';
import { ONCE, RunningService, useScriptedService } from '../support/service';
import { useStarted } from '../support/started';

const COMMITTED = JSON.parse(read('openapi.json')) as OpenAPIObject;
const PATHS = Object.entries(COMMITTED.paths).filter(([path]) => path.startsWith('/api/'));
/** The query of the request that gets the example of a 400, by the invalid parameter. */
const INVALID: Readonly<Record<string, string>> = { OrderId: '?OrderId=A&orderid=B', Status: '?Status=Lost' };

async function expectShown(service: RunningService, value: unknown, headers = {}): Promise<void> {
  const { status, instance, errors: [fault] = [] } = value as Problem;
  const query = fault === undefined ? '?OrderId=A' : (INVALID[fault.parameter] ?? '');
  const got = await service.get(instance + query, { headers: { ...headers, 'X-Request-Id': EXAMPLE_REQUEST_ID } });
  expect([got.status, got.json()]).toEqual([status, value]);
}

const ALL = examplesOf(COMMITTED);
const scripted = useScriptedService(ONCE);
const sandbox = useStarted(() => RunningService.start({ LOG_LEVEL: 'silent' }));

// A field that an example lacks would be missing on the page and in mock servers.
it.each(ALL.filter(([, status]) => status === 200))('D13 %s has the documented fields', (name, _, value) => {
  assertShape(String(name.split(' ')[0]), value);
});

it.each(ALL.filter(([, status]) => status >= 400))('D72 %s: %i is what a client gets', async (_, status, value) => {
  scripted.upstream.respondWith(answer(status));
  await expectShown(scripted.service, value);
});

it.each(PATHS)('D72 %s: parameters find a record of the sandbox', async (path, { get }) => {
  const query = new URLSearchParams();
  let target = path;
  for (const parameter of get?.parameters ?? []) {
    const { name, schema } = parameter as { name: string; schema: { example?: string | number; examples?: string[] } };
    if (path.includes(`{${name}}`)) target = path.replace(`{${name}}`, String(schema.example));
    // The page leaves the field empty (D88), but an identifier is needed.
    else if (name === 'Id') query.set(name, String(schema.examples?.[0]));
    else if (schema.example !== undefined) query.set(name, String(schema.example));
  }
  const { status, headers, body } = await sandbox().get(`${target}?${query.toString()}`);
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
    const restricted = await RunningService.start({ LOG_LEVEL: 'silent', ...env });
    const shown = examplesOf(createDocument(restricted.app)).filter((example) => example[1] === status);
    expect([status, shown.length]).toEqual([status, PATHS.length]);
    // The first request uses up the limit.
    await restricted.request('GetShippingPagedList');
    const checks = shown.map(([, , value]) => expectShown(restricted, value, headers));
    await Promise.all(checks).finally(() => restricted.close());
  }
  await keys.close();
});
