import fastify, { type FastifyInstance } from 'fastify';
import { readdirSync } from 'node:fs';
import { createTestingApp } from '../../testing/testing-app';
import { read, ROOT } from '../support/read';

/** What each field is written by: a file of `src`, or a plugin. */
const WRITERS = {
  corsPreflightEnabled: '@fastify/cors',
  forwarded: 'http/requests/request-record.ts',
  publicBasePath: 'http/requests/request-record.ts',
  record: 'http/requests/on-arrival.ts',
  strict: 'http/requests/on-arrival.ts',
  user: 'access/authentication.guard.ts',
};

function namesOf(object: object | null): string[] {
  if (object === null) return [];
  return [...Object.getOwnPropertyNames(object), ...namesOf(Object.getPrototypeOf(object) as object | null)];
}

/** The fields of a request, those that it inherits included. */
async function fieldsAt(instance: FastifyInstance, begin: () => PromiseLike<unknown>): Promise<Set<string>> {
  const fields = new Set<string>();
  instance.addHook('onSend', (request, _, __, done) => {
    for (const name of namesOf(request)) fields.add(name);
    done();
  });
  await begin();
  await instance.inject('/');
  return fields;
}

it('at most eight fields are decorated on a request of Fastify, those of plugins included, with one writer each', async () => {
  // With it, Fastify itself adds `ips`.
  const bare = fastify({ trustProxy: true });
  const plain = await fieldsAt(bare, () => bare.ready());
  const env = { CORS_ORIGINS: 'https://a.example', MANAGEMENT_PORT: '0', FORWARD_HEADERS: 'X-Tenant' };
  const app = await createTestingApp({ env });
  const fields = await fieldsAt(app.getHttpAdapter().getInstance(), () => app.init());
  const decorated = [...fields].filter((name) => !plain.has(name)).sort();
  expect(decorated).toEqual(Object.keys(WRITERS));
  expect(decorated.length).toBeLessThanOrEqual(8);
  await app.close();
  await bare.close();

  const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.spec)\.ts$/.test(file),
  );
  const assigned = files.flatMap((file) =>
    [...read(`src/${file}`).matchAll(/\brequest\.(\w+) = /g)].map(([, name = '']) => [name, file]),
  );
  expect(Object.entries(WRITERS)).toEqual(expect.arrayContaining(assigned));
});
