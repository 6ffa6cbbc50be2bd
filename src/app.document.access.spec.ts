import type { OpenAPIObject } from '@nestjs/swagger';
import { pino } from 'pino';
import { createApp } from './app.setup';
import { readSettings } from './config/settings';
import { createDocument } from './app.document';

const TOKENS = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'shipping',
  // Nothing listens there.
  AUTH_JWKS_URL: 'http://127.0.0.1:9/keys',
};
const KEYS = { AUTH_API_KEYS_SHA256: 'ab'.repeat(32) };

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

async function documentOf(env: Record<string, string>): Promise<OpenAPIObject> {
  const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', ...env });
  const app = await createApp(settings, pino({ level: 'silent' }));
  await app.init();
  const document = createDocument(app);
  await app.close();
  return document;
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) =>
    path.startsWith('/api/') && get !== undefined ? [get] : [],
  );
}

describe('the OpenAPI document with authentication and rate limiting', () => {
  it('has no credentials and limits where these are off, also after a document with them', async () => {
    await documentOf({ ...TOKENS, ...KEYS, AUTH_SCOPE: 'read', RATE_LIMIT_MAX: '5' });
    const document = await documentOf({});
    expect(document.components).not.toHaveProperty('securitySchemes');
    for (const operation of operationsOf(document)) {
      expect(operation).not.toHaveProperty('security');
      for (const status of ['401', '403', '429']) expect(operation.responses).not.toHaveProperty(status);
    }
    expect(JSON.stringify(document)).not.toMatch(/RateLimit|WWW-Authenticate|keys-unavailable|X-API-Key/);
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
    const operations = operationsOf(document);
    expect(operations.length).toBeGreaterThanOrEqual(4);
    for (const { security, responses } of operations) {
      expect(security).toEqual(names.map((name) => ({ [name]: [] })));
      expect(responses).toHaveProperty('401');
      expect(responses).not.toHaveProperty('403');
    }
    expect(JSON.stringify(document).includes('keys-unavailable')).toBe('AUTH_ISSUER' in env);
  });

  it('D15 lists the problem codes of credentials and limits', async () => {
    const document = await documentOf({ ...TOKENS, AUTH_SCOPE: 'read', RATE_LIMIT_MAX: '5' });
    for (const operation of operationsOf(document)) {
      expect((operation as { 'x-problem-codes'?: string[] })['x-problem-codes']).toEqual(
        expect.arrayContaining([
          'authentication-required',
          'insufficient-scope',
          'invalid-credentials',
          'keys-unavailable',
          'rate-limit-exceeded',
        ]),
      );
    }
  });

  it('documents 403 where a scope is required', async () => {
    for (const { responses } of operationsOf(await documentOf({ ...TOKENS, AUTH_SCOPE: 'read' }))) {
      expect(responses).toHaveProperty('403');
    }
  });

  it('documents 429, and the headers of the limit', async () => {
    for (const { responses } of operationsOf(await documentOf({ RATE_LIMIT_MAX: '5' }))) {
      expect(responses).toHaveProperty('429');
      expect(responses['200']).toMatchObject({ headers: { RateLimit: {}, 'RateLimit-Policy': {}, ETag: {} } });
    }
  });

  it('has no dangling reference', async () => {
    const document = await documentOf({ ...TOKENS, ...KEYS, AUTH_SCOPE: 'read', RATE_LIMIT_MAX: '5' });
    const components = document.components as Record<string, Record<string, unknown>>;
    for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect([kind, name, components[kind]?.[name] !== undefined]).toEqual([kind, name, true]);
    }
  });
});
