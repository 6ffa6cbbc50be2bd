import type { OpenAPIObject } from '@nestjs/swagger';
import { createDocument } from './app.docs';
import { createTestingApp } from '../test/support/testing-app';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { readonly 'x-problem-codes'?: string[] };

const TOKENS = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'shipping',
  // Nothing listens there.
  AUTH_JWKS_URL: 'http://127.0.0.1:9/keys',
};
const KEYS = { AUTH_API_KEYS_SHA256: 'ab'.repeat(32) };
const ALL = { ...TOKENS, ...KEYS, AUTH_SCOPE: 'read', RATE_LIMIT_MAX: '5' };

async function documentOf(env: Record<string, string>): Promise<OpenAPIObject> {
  const app = await createTestingApp({ env });
  await app.init();
  const document = createDocument(app);
  await app.close();
  return document;
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    path.startsWith('/api/') && get !== undefined ? [get] : [],
  );
}

/** The parameters of these names, wherever they stand. */
function parameters(document: OpenAPIObject, name: RegExp): object[] {
  const all = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  return all.filter((parameter) => 'name' in parameter && name.test(parameter.name));
}

describe('the OpenAPI document of other settings', () => {
  let standard: OpenAPIObject;
  beforeAll(async () => {
    standard = await documentOf({});
  });

  it('is as before after a document with everything', async () => {
    await documentOf({ ...ALL, FORWARD_HEADERS: 'X-Tenant-Id' });
    expect(await documentOf({})).toEqual(standard);
    expect(JSON.stringify(standard)).not.toMatch(
      /"security":\[\{|RateLimit|WWW-Authenticate|keys-unavailable|X-API-Key/,
    );
  });

  it('D9 has the configured pattern of identifiers', async () => {
    const found = parameters(await documentOf({ SHIPPING_ID_PATTERN: '[0-9]{4}' }), /^id$/i);
    expect(found).toHaveLength(parameters(standard, /^id$/i).length);
    for (const { schema } of found as { schema: object }[]) {
      expect(schema).toMatchObject({ type: 'string', pattern: '^(?:[0-9]{4})$', minLength: 1, maxLength: 256 });
    }
  });

  it('D22 FORWARD_HEADERS are parameters of the operations, and in Vary', async () => {
    const names = ['X-Tenant-Id', 'Accept-Language'];
    const document = await documentOf({ FORWARD_HEADERS: names.join(',') });
    expect(parameters(document, /^(X-Tenant-Id|Accept-Language)$/)).toHaveLength(
      operationsOf(document).length * names.length,
    );
    expect(document.components?.headers?.Vary).toMatchObject({
      example: 'Prefer, accept-encoding, X-Tenant-Id, Accept-Language',
    });
    expect(document.paths['/health/live']?.get?.parameters).toEqual(standard.paths['/health/live']?.get?.parameters);
  });

  it.each([
    ['tokens', TOKENS, ['bearer']],
    ['keys', KEYS, ['apiKey']],
    ['either', { ...TOKENS, ...KEYS }, ['bearer', 'apiKey']],
  ])('lists %s as alternatives, on the operations only', async (_, env, names) => {
    const document = await documentOf(env);
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(names);
    expect(document.security).toEqual([]);
    expect(document.paths['/health/live']?.get).not.toHaveProperty('security');
    for (const { security, responses } of operationsOf(document)) {
      expect(security).toEqual(names.map((name) => ({ [name]: [] })));
      expect(responses).toHaveProperty('401');
      expect(responses).not.toHaveProperty('403');
    }
    expect(JSON.stringify(document).includes('keys-unavailable')).toBe('AUTH_ISSUER' in env);
  });

  it('D15 has the statuses, codes and headers of credentials and limits, and no dangling reference', async () => {
    const document = await documentOf(ALL);
    for (const { responses, 'x-problem-codes': codes } of operationsOf(document)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
      expect(responses['200']).toMatchObject({ headers: { RateLimit: {}, 'RateLimit-Policy': {}, ETag: {} } });
      expect(codes).toEqual(
        expect.arrayContaining([
          'authentication-required',
          'insufficient-scope',
          'invalid-credentials',
          'keys-unavailable',
          'rate-limit-exceeded',
        ]),
      );
    }
    const components = document.components as Record<string, Record<string, unknown>>;
    for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect([kind, name, components[kind]?.[name] !== undefined]).toEqual([kind, name, true]);
    }
  });
});
