import * as fc from 'fast-check';
import { thrownBy } from '../../test/support/units';
import { SettingsError } from './environment-reader';
import { readSettings, type Settings } from './settings';

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
  { name: 'EXTERNAL_SHIPPING_TIMEOUT_MS', read: (s) => s.external.timeoutMs, fallback: 5000, min: 1, max: TIMER },
  { name: 'EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS', read: (s) => s.external.attemptTimeoutMs, fallback: 2000, min: 1, max: TIMER }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_ATTEMPTS', read: (s) => s.external.maxAttempts, fallback: 3, min: 1, max: 10 },
  { name: 'EXTERNAL_SHIPPING_MAX_CONCURRENT', read: (s) => s.external.maxConcurrent, fallback: 64, min: 1, max: 10_000 }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_QUEUE', read: (s) => s.external.maxQueue, fallback: 1024, min: 0, max: 1_000_000 },
  { name: 'EXTERNAL_SHIPPING_BREAKER_OPEN_MS', read: (s) => s.external.breakerOpenMs, fallback: 5000, min: 1, max: TIMER }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', read: (s) => s.external.maxResponseBytes, fallback: 5_242_880, min: 1, max: 1_073_741_824 }, // prettier-ignore
  { name: 'CACHE_TTL_MS', read: (s) => s.cache.ttlMs, fallback: 0, min: 0, max: DAY },
  { name: 'CACHE_STALE_IF_ERROR_MS', read: (s) => s.cache.staleIfErrorMs, fallback: 0, min: 0, max: 7 * DAY },
  { name: 'CACHE_MAX_ENTRIES', read: (s) => s.cache.maxEntries, fallback: 10_000, min: 1, max: 1_000_000 },
  { name: 'CACHE_MAX_BYTES', read: (s) => s.cache.maxBytes, fallback: 67_108_864, min: 1, max: 1_073_741_824 },
  { name: 'SANDBOX_PORT', read: (s) => s.sandbox.port, fallback: 0, min: 0, max: 65_535 },
  { name: 'SANDBOX_RECORDS', read: (s) => s.sandbox.records, fallback: 2000, min: 1, max: 1_000_000 },
];

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
  { name: 'CORS_ORIGINS', read: (s) => s.corsOrigins, fallback: [], good: ['https://a.example', ['https://a.example']], bad: 'all-value' }, // prettier-ignore
  { name: 'SHIPPING_ID_PATTERN', read: (s) => s.idPattern.test('SHP-1'), fallback: true, good: ['[0-9]+', false], bad: '[value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_BASE_URL', read: (s) => s.external.baseUrl?.href, fallback: undefined, good: ['http://host/base', 'http://host/base'], bad: 'http://user:value@host' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_SINGLE_PATH', read: (s) => s.external.paths.single, fallback: '/shippings/single', good: ['/one', '/one'], bad: 'value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_BY_ID_PATH', read: (s) => s.external.paths.byId, fallback: '/shippings/by-id/{id}', good: ['/one/{id}', '/one/{id}'], bad: '/value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_DETAILS_PATH', read: (s) => s.external.paths.details, fallback: '/shippings/details', good: ['/list', '/list'], bad: '/value?x' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_PAGED_PATH', read: (s) => s.external.paths.paged, fallback: '/shippings/paged', good: ['/page', '/page'], bad: '//value' }, // prettier-ignore
  { name: 'EXTERNAL_SHIPPING_TOKEN', read: (s) => s.external.token, fallback: undefined, good: ['t0ken', 't0ken'], bad: 'secret value' }, // prettier-ignore
  { name: 'REDIS_URL', read: (s) => s.redisUrl?.href, fallback: undefined, good: ['rediss://u:p%20w@host:1/3', 'rediss://u:p%20w@host:1/3'], bad: 'http://value@host' }, // prettier-ignore
  { name: 'SANDBOX_VARIANT', read: (s) => s.sandbox.variant, fallback: 'extended', good: ['basic', 'basic'], bad: 'value' }, // prettier-ignore
];

/** The names of the variables at fault. */
function faultsOf(env: NodeJS.ProcessEnv): string[] {
  const error = thrownBy(() => readSettings(env));
  expect(error).toBeInstanceOf(SettingsError);
  return (error as SettingsError).faults.map((fault) => fault.slice(0, fault.indexOf(' ')));
}

describe('readSettings', () => {
  describe.each(INTEGERS)('D26 $name', ({ name, read, fallback, min, max }) => {
    it(`is ${fallback} unless set, and takes ${min} to ${max}`, () => {
      expect(read(readSettings({}))).toBe(fallback);
      expect(read(readSettings({ [name]: String(min) }))).toBe(min);
      expect(read(readSettings({ [name]: String(max) }))).toBe(max);
    });

    it.each([String(min - 1), String(max + 1), '1.5', 'many', '0x1'])('refuses %s', (value) => {
      expect(faultsOf({ [name]: value })).toEqual([name]);
    });
  });

  describe.each(TEXTS)('D26 $name', ({ name, read, fallback, good: [value, expected], bad }) => {
    it('has its default, and takes a value', () => {
      expect(read(readSettings({}))).toEqual(fallback);
      expect(read(readSettings({ [name]: value }))).toEqual(expected);
    });

    if (bad !== undefined) {
      it('refuses a bad value', () => {
        expect(faultsOf({ [name]: bad })).toEqual([name]);
      });
    }
  });

  it.each(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])('D26 LOG_LEVEL can be %s', (level) => {
    expect(readSettings({ LOG_LEVEL: level }).logLevel).toBe(level);
  });

  it('D9 the default pattern of identifiers', () => {
    const { idPattern } = readSettings({});
    const good = ['a', 'Z9', 'SHP-000001', 'a..b', `a${'.'.repeat(63)}`];
    const bad = ['', '.', '..', '-a', '_a', 'a/b', 'a b', 'a%2e', 'é', 'a\n', `a${'b'.repeat(64)}`];
    expect(good.filter((id) => !idPattern.test(id))).toEqual([]);
    expect(bad.filter((id) => idPattern.test(id))).toEqual([]);
  });

  it('D26 production wants the base URL', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual(['EXTERNAL_SHIPPING_BASE_URL']);
    expect(faultsOf({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: '' })).toEqual([
      'EXTERNAL_SHIPPING_BASE_URL',
    ]);
    expect(() => readSettings({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: 'http://host' })).not.toThrow();
  });

  it('D26 production takes a blank base URL for none, as the reader does', () => {
    expect(faultsOf({ NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: ' ' })).toEqual([
      'EXTERNAL_SHIPPING_BASE_URL',
    ]);
  });

  it('D26 names every fault at once', () => {
    const env = Object.fromEntries([
      ...INTEGERS.map(({ name }) => [name, 'x'] as const),
      ...TEXTS.flatMap(({ name, bad }) => (bad === undefined ? [] : [[name, bad] as const])),
    ]);
    expect(faultsOf(env).sort()).toEqual(Object.keys(env).sort());
  });

  it('D26 never tells a value, secret or not', () => {
    const names = [...INTEGERS, ...TEXTS].map(({ name }) => name);
    const marked = fc.tuple(fc.constantFrom(...names), fc.string({ unit: 'binary' }));
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

  it('is frozen', () => {
    const settings = readSettings({});
    for (const part of [settings, settings.cache, settings.external, settings.external.paths, settings.corsOrigins]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
