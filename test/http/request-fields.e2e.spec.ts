import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { createTestingApp } from '../../testing/testing-app';

/** The names of all fields that a request has, those that it inherits included. */
function fieldsOf(request: object | null): string[] {
  return request === null ? [] : [...Object.keys(request), ...namesOf(Object.getPrototypeOf(request) as object | null)];
}

function namesOf(prototype: object | null): string[] {
  if (prototype === null) return [];
  return [...Object.getOwnPropertyNames(prototype), ...namesOf(Object.getPrototypeOf(prototype) as object | null)];
}

/** The fields of a request to this path, as the last hook sees it. */
async function fieldsAt(url: string, instance: FastifyInstance, inject: () => Promise<unknown>): Promise<string[]> {
  let fields: string[] = [];
  instance.addHook('onSend', async (request: FastifyRequest, _, payload) => {
    if (request.originalUrl === url) fields = fieldsOf(request);
    return Promise.resolve(payload);
  });
  await inject();
  return fields;
}

it('at most eight fields are decorated on a request of Fastify, those of plugins included', async () => {
  // With it, Fastify itself adds `ips`.
  const bare = fastify({ trustProxy: true });
  bare.get('/', () => 'bare');
  const plain = new Set(await fieldsAt('/', bare, () => bare.inject('/')));
  const env = { CORS_ORIGINS: 'https://a.example', MANAGEMENT_PORT: '0', FORWARD_HEADERS: 'X-Tenant' };
  const app = await createTestingApp({ env: { ...env, EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' } });
  const url = '/api/Shipping/GetShippingDetails';
  const fields = await fieldsAt(url, app.getHttpAdapter().getInstance(), async () => {
    await app.init();
    await app.inject(url);
  });
  const decorated = [...new Set(fields)].filter((name) => !plain.has(name)).sort();
  expect(decorated).toEqual([...['corsPreflightEnabled', 'forwarded', 'publicBasePath', 'record', 'strict', 'user']]);
  expect(decorated.length).toBeLessThanOrEqual(8);
  await app.close();
  await bare.close();
});
