import * as fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { thrownBy } from '../../test/support/units';
import { readSandboxSettings } from './sandbox.settings';
import { SettingsError } from './setting-definition';
import { readSettings, type Settings } from './settings';
import { anyText } from '../../test/support/any-text';

interface IntegerRow {
  readonly name: string;
  readonly read: (settings: Settings) => number;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

const TIMER = 2_147_483_647;
const DAY = 86_400_000;
const INTEGERS: IntegerRow[] = [
  { name: 'PORT', read: (s) => s.port, fallback: 3000, min: 0, max: 65_535 },
  { name: 'MAX_ACTIVE_REQUESTS', read: (s) => s.maxActiveRequests, fallback: 2048, min: 1, max: 1_000_000 },
  { name: 'EXTERNAL_SHIPPING_TIMEOUT_MS', read: (s) => s.external.timeoutMs, fallback: 5000, min: 1, max: TIMER },
  { name: 'EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS', read: (s) => s.external.attemptTimeoutMs, fallback: 2000, min: 1, max: TIMER }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_ATTEMPTS', read: (s) => s.external.maxAttempts, fallback: 3, min: 1, max: 10 },
  { name: 'EXTERNAL_SHIPPING_MAX_CONCURRENT', read: (s) => s.external.maxConcurrent, fallback: 64, min: 1, max: 10_000 }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_QUEUE', read: (s) => s.external.maxQueue, fallback: 1024, min: 0, max: 1_000_000 },
  { name: 'EXTERNAL_SHIPPING_BREAKER_OPEN_MS', read: (s) => s.external.breakerOpenMs, fallback: 5000, min: 1, max: TIMER }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', read: (s) => s.external.maxResponseBytes, fallback: 5_242_880, min: 1, max: 500_000_000 }, // prettier-ignore
  { name: 'CACHE_TTL_MS', read: (s) => s.cache.ttlMs, fallback: 0, min: 0, max: DAY },
  { name: 'CACHE_STALE_IF_ERROR_MS', read: (s) => s.cache.staleIfErrorMs, fallback: 0, min: 0, max: 7 * DAY },
  { name: 'CACHE_MAX_BYTES', read: (s) => s.cache.maxBytes, fallback: 67_108_864, min: 1, max: 1_073_741_824 },
  { name: 'RATE_LIMIT_MAX', read: (s) => s.rateLimit?.max ?? 0, fallback: 0, min: 0, max: 1_000_000_000 },
  { name: 'SANDBOX_PORT', read: (s) => s.sandbox.port, fallback: 0, min: 0, max: 65_535 },
  { name: 'SANDBOX_RECORDS', read: (s) => s.sandbox.records, fallback: 2000, min: 1, max: 100_000 },
];

const DIGEST = 'ab'.repeat(32);

interface TextRow {
  readonly name: string;
  readonly read: (settings: Settings) => unknown;
  readonly fallback: unknown;
  readonly good: readonly [value: string, expected: unknown];
  readonly bad?: string;
}

const TEXTS: TextRow[] = [
  { name: 'HOST', read: (s) => s.host, fallback: '0.0.0.0', good: ['127.0.0.1', '127.0.0.1'] },
  { name: 'LOG_LEVEL', read: (s) => s.logLevel, fallback: 'info', good: ['debug', 'debug'], bad: 'loud-value' },
  { name: 'LOG_FORMAT', read: (s) => s.logFormat, fallback: 'auto', good: ['pretty', 'pretty'], bad: 'text-value' },
  { name: 'CORS_ORIGINS', read: (s) => s.corsOrigins, fallback: [], good: ['https://a.example', ['https://a.example']], bad: 'all-value' }, // prettier-ignore
  { name: 'SHIPPING_ID_PATTERN', read: (s) => s.idPattern.test('SHP-1'), fallback: true, good: ['[0-9]+', false], bad: '[value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_BASE_URL', read: (s) => s.external.baseUrl?.href, fallback: undefined, good: ['http://host/base', 'http://host/base'], bad: 'http://user:value@host' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_SINGLE_PATH', read: (s) => s.external.paths.single, fallback: '/shippings/single', good: ['/one', '/one'], bad: 'value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_BY_ID_PATH', read: (s) => s.external.paths.byId, fallback: '/shippings/by-id/{id}', good: ['/one/{id}', '/one/{id}'], bad: '/value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_DETAILS_PATH', read: (s) => s.external.paths.details, fallback: '/shippings/details', good: ['/list', '/list'], bad: '/value?x' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_PAGED_PATH', read: (s) => s.external.paths.paged, fallback: '/shippings/paged', good: ['/page', '/page'], bad: '//value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_TOKEN', read: (s) => s.external.credentials, fallback: { kind: 'none' }, good: ['t0ken', { kind: 'bearer', secret: { value: 't0ken' } }], bad: 'secret value' }, // prettier-ignore
  { name: 'REDIS_URL', read: (s) => s.redisUrl?.href, fallback: undefined, good: ['rediss://u:p%20w@host:1/3', 'rediss://u:p%20w@host:1/3'], bad: 'http://value@host' }, // prettier-ignore
  { name: 'AUTH_API_KEYS_SHA256', read: (s) => s.access.apiKeys.map((key) => key.toString('hex')), fallback: [], good: [`${DIGEST}, ${DIGEST.toUpperCase()}`, [DIGEST, DIGEST]], bad: 'value' }, // prettier-ignore
  { name: 'TRUST_PROXY', read: (s) => s.trustedProxies, fallback: [], good: ['10.0.0.0/8,::1, loopback', ['10.0.0.0/8', '::1', 'loopback']], bad: 'value' }, // prettier-ignore
  { name: 'MANAGEMENT_PORT', read: (s) => s.managementPort, fallback: undefined, good: ['0', 0], bad: '65536' }, // prettier-ignore
  { name: 'FORWARD_HEADERS', read: (s) => s.external.forwardHeaders, fallback: [], good: ['X-A, X-B', ['X-A', 'X-B']], bad: 'X A' }, // prettier-ignore
  { name: 'DOCS', read: (s) => s.servesDocs, fallback: true, good: ['off', false], bad: 'value' },
  { name: 'SANDBOX_VARIANT', read: (s) => s.sandbox.variant, fallback: 'extended', good: ['basic', 'basic'], bad: 'value' }, // prettier-ignore
];

/** The names of the variables with errors. */
function errorsOf(env: NodeJS.ProcessEnv): string[] {
  const error = thrownBy(() => readSettings(env));
  expect(error).toBeInstanceOf(SettingsError);
  return (error as SettingsError).errors.map((error) => error.slice(0, error.indexOf(' ')));
}

describe('readSettings', () => {
  describe.each(INTEGERS)('D26 $name', ({ name, read, fallback, min, max }) => {
    it(`is ${fallback} by default, and accepts ${min} to ${max}`, () => {
      expect(read(readSettings({}))).toBe(fallback);
      expect(read(readSettings({ [name]: String(min) }))).toBe(min);
      expect(read(readSettings({ [name]: String(max) }))).toBe(max);
    });

    it.each([String(min - 1), String(max + 1), '1.5', 'many', '0x1'])('refuses %s', (value) => {
      expect(errorsOf({ [name]: value })).toEqual([name]);
    });
  });

  describe.each(TEXTS)('D26 $name', ({ name, read, fallback, good: [value, expected], bad }) => {
    it('has a default and accepts a value', () => {
      expect(read(readSettings({}))).toEqual(fallback);
      expect(read(readSettings({ [name]: value }))).toEqual(expected);
    });

    if (bad !== undefined) {
      it('refuses a bad value', () => {
        expect(errorsOf({ [name]: bad })).toEqual([name]);
      });
    }
  });

  it.each([
    ['', '127.0.0.1'],
    ['::1', '::1'],
    ['localhost', undefined],
  ])('a sandbox that runs alone listens on SANDBOX_HOST=%s: %s', (host, expected) => {
    const read = (): string => readSandboxSettings({ SANDBOX_HOST: host }).host;
    if (expected === undefined) expect(read).toThrow(/SANDBOX_HOST must be an IP address$/);
    else expect(read()).toBe(expected);
  });

  it.each(['http://issuer.example/keys', 'http://10.0.0.1/keys', 'http://127.0.0.1.example/', 'http://localhost.example/'])(
    'does not fetch keys from %s',
    (AUTH_JWKS_URL) => {
      expect(errorsOf({ ...TOKEN, AUTH_JWKS_URL })).toEqual(['AUTH_JWKS_URL']);
    },
  ); // prettier-ignore

  it.each(['http://localhost:1/', 'http://127.0.0.1/', 'http://127.9.9.9/', 'http://[::1]:1/'])(
    'fetches keys from %s, which is this machine',
    (AUTH_JWKS_URL) => {
      expect(readSettings({ ...TOKEN, AUTH_JWKS_URL }).access.token?.jwksUrl.href).toBe(AUTH_JWKS_URL);
    },
  );

  it('every secret can come from a file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'secret');
    const read = (name: string, content: string): Settings => {
      writeFileSync(path, `${content}\n`);
      return readSettings({ [`${name}_FILE`]: path });
    };
    expect(read('EXTERNAL_SHIPPING_TOKEN', 't0ken').external.credentials).toMatchObject({ secret: { value: 't0ken' } });
    expect(read('REDIS_URL', 'redis://:word@host').redisUrl?.password).toBe('word');
    expect(read('AUTH_API_KEYS_SHA256', DIGEST).access.apiKeys).toHaveLength(1);
    rmSync(dirname(path), { recursive: true });
    expect(errorsOf({ REDIS_URL_FILE: path })).toEqual(['REDIS_URL_FILE']);
  });

  it('D26 production requires the base URL', () => {
    expect(errorsOf({ NODE_ENV: 'production' })).toEqual(['EXTERNAL_SHIPPING_BASE_URL']);
    expect(errorsOf({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: '' })).toEqual([
      'EXTERNAL_SHIPPING_BASE_URL',
    ]);
    expect(() => readSettings({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: 'http://host' })).not.toThrow();
  });

  it('D26 lists all errors at once', () => {
    const env = Object.fromEntries([
      ...INTEGERS.map(({ name }) => [name, 'x'] as const),
      ...TEXTS.flatMap(({ name, bad }) => (bad === undefined ? [] : [[name, bad] as const])),
    ]);
    expect(errorsOf(env).sort()).toEqual(Object.keys(env).sort());
  });

  it('D26 errors contain no value, secret or not', () => {
    const names = [...INTEGERS, ...TEXTS].map(({ name }) => name);
    const marked = fc.tuple(fc.constantFrom(...names), anyText());
    fc.assert(
      fc.property(fc.array(marked, { minLength: 1 }), (pairs) => {
        const env = Object.fromEntries(pairs.map(([name, text]) => [name, `${text}zqxjk ${text}`]));
        try {
          readSettings(env);
        } catch (error) {
          expect(String(error)).not.toContain('zqxjk');
          expect((error as Error).stack).not.toContain('zqxjk');
        }
      }),
    );
  });

  const TOKEN = { AUTH_ISSUER: 'https://i.example', AUTH_AUDIENCE: 'a', AUTH_JWKS_URL: 'https://i.example/keys?p=1' };

  it('reads the settings of bearer tokens', () => {
    expect(readSettings({}).access.token).toBeUndefined();
    expect(readSettings(TOKEN).access.token).toEqual({
      issuer: 'https://i.example',
      audience: 'a',
      jwksUrl: new URL('https://i.example/keys?p=1'),
      scopes: [],
    });
    expect(readSettings({ ...TOKEN, AUTH_SCOPE: ' a  b:c ' }).access.token?.scopes).toEqual(['a', 'b:c']);
  });

  it.each(Object.keys(TOKEN))('%s alone, or everything but it, is an error: nothing is half protected', (name) => {
    const others = Object.keys(TOKEN).filter((other) => other !== name);
    expect(errorsOf({ [name]: TOKEN[name as keyof typeof TOKEN] }).sort()).toEqual(others.sort());
    expect(errorsOf({ ...TOKEN, [name]: ' ' })).toEqual([name]);
  });

  it('AUTH_SCOPE without an issuer is an error', () => {
    expect(errorsOf({ AUTH_SCOPE: 'read', AUTH_API_KEYS_SHA256: DIGEST }).sort()).toEqual(Object.keys(TOKEN).sort());
  });

  it.each([
    ['AUTH_SCOPE', 'a"b'], ['AUTH_SCOPE', 'a\tb'],
    ['AUTH_JWKS_URL', 'file:///keys'], ['AUTH_JWKS_URL', 'https://u:p@host/keys'], ['AUTH_JWKS_URL', '/keys'],
  ])('refuses %s=%s', (name, value) => {
    expect(new Set(errorsOf({ ...TOKEN, [name]: value }))).toEqual(new Set([name]));
  }); // prettier-ignore

  it.each([
    `${DIGEST}0`, DIGEST.slice(1), `${DIGEST};${DIGEST}`, `sha256:${DIGEST}`, 'g'.repeat(64),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ])('refuses %j as digests of keys', (value) => {
    expect(errorsOf({ AUTH_API_KEYS_SHA256: value })).toEqual(['AUTH_API_KEYS_SHA256']);
  }); // prettier-ignore

  it.each(['0.0.0.0/0', '::/0', '::ffff:10.0.0.0/0', '10.0.0.0/000', 'fe80::1%eth0/0', '1', 'true', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/255.0.0.0', 'Loopback', '10.0.0', '*'])(
    'refuses %j as proxies',
    (value) => {
      expect(errorsOf({ TRUST_PROXY: value })).toEqual(['TRUST_PROXY']);
    },
  ); // prettier-ignore

  it('limits requests in windows of a minute by default', () => {
    expect(readSettings({}).rateLimit).toBeUndefined();
    expect(readSettings({ RATE_LIMIT_MAX: '5' }).rateLimit).toEqual({ max: 5, windowMs: 60_000 });
    expect(readSettings({ RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW_MS: '1000' }).rateLimit?.windowMs).toBe(1000);
    for (const RATE_LIMIT_WINDOW_MS of ['999', '86400001', '1e3']) {
      expect(errorsOf({ RATE_LIMIT_WINDOW_MS })).toEqual(['RATE_LIMIT_WINDOW_MS']);
    }
  });

  it('the management port differs from the main one', () => {
    expect(readSettings({ PORT: '0', MANAGEMENT_PORT: '0' }).managementPort).toBe(0);
    expect(errorsOf({ PORT: '9090', MANAGEMENT_PORT: '9090' })).toEqual(['MANAGEMENT_PORT']);
    expect(errorsOf({ MANAGEMENT_PORT: '3000' })).toEqual(['MANAGEMENT_PORT']);
  });

  it('is frozen', () => {
    const settings = readSettings({});
    for (const part of [settings, settings.cache, settings.external, settings.external.paths, settings.corsOrigins]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
