import { DEFAULT_ID_PATTERN, DEFAULT_MAX_REPLY_BYTES } from '../shipping/model/limits';
import { readAccess, type AccessSettings } from './access-settings';
import { EnvironmentReader } from './environment-reader';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const SANDBOX_VARIANTS = ['extended', 'basic'] as const;

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('Settings');

const MAX_TIMER_MS = 2_147_483_647;
const DAY_MS = 86_400_000;

/** Paths of the external system, below its base URL; `{id}` in `byId` stands for the identifier. */
export interface ExternalPaths {
  readonly single: string;
  readonly byId: string;
  readonly details: string;
  readonly paged: string;
}

/** How to reach the external shipping system, and how patient to be with it. Times are in milliseconds. */
export interface ExternalSystemSettings {
  /** `undefined`: use the embedded sandbox. */
  readonly baseUrl: URL | undefined;
  readonly paths: ExternalPaths;
  readonly token: string | undefined;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly maxAttempts: number;
  readonly maxConcurrent: number;
  readonly maxQueue: number;
  readonly breakerOpenMs: number;
  readonly maxResponseBytes: number;
}

/** Which answers of the external system are kept, and for how long. Times are in milliseconds. */
export interface CacheSettings {
  /** How long an answer is given again without asking; 0: never. */
  readonly ttlMs: number;
  /** How long after that it may stand in while the external system fails; 0: never. */
  readonly staleIfErrorMs: number;
  /** Bounds of what one process keeps. */
  readonly maxEntries: number;
  readonly maxBytes: number;
}

export interface SandboxSettings {
  readonly port: number;
  readonly records: number;
  readonly variant: (typeof SANDBOX_VARIANTS)[number];
}

/** How many requests one caller may make. */
export interface RateLimitSettings {
  readonly max: number;
  readonly windowMs: number;
}

/** Where probes and metrics are served, apart from the operations. */
export interface ManagementSettings {
  readonly host: string;
  readonly port: number;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Share of the complete successes that get a log line, from 0 to 1. */
  readonly logSampleRate: number;
  /** Whether answers say in `Server-Timing` where their time went. */
  readonly serverTiming: boolean;
  readonly corsOrigins: readonly string[];
  readonly idPattern: RegExp;
  /** Queries that take this long or longer are told to the log; 0: none is. */
  readonly slowQueryMs: number;
  readonly external: ExternalSystemSettings;
  readonly cache: CacheSettings;
  /** Redis for what replicas share; `undefined`: each keeps to itself. May carry a password. */
  readonly redisUrl: URL | undefined;
  readonly sandbox: SandboxSettings;
  readonly access: AccessSettings;
  /** `undefined`: no limit. */
  readonly rateLimit: RateLimitSettings | undefined;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `undefined`: together with the operations. */
  readonly management: ManagementSettings | undefined;
}

/**
 * Reads every setting from the environment, once, at start.
 *
 * @throws {SettingsError} naming every fault at once, and never a value
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const reader = new EnvironmentReader(env);
  const address = { host: reader.text('HOST', '0.0.0.0'), port: reader.integer('PORT', 3000, 0, 65_535) };
  const settings: Settings = {
    ...address,
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    logSampleRate: reader.share('LOG_SAMPLE_RATE', 1),
    serverTiming: reader.flag('SERVER_TIMING', false),
    corsOrigins: reader.origins('CORS_ORIGINS'),
    idPattern: reader.pattern('SHIPPING_ID_PATTERN', DEFAULT_ID_PATTERN),
    slowQueryMs: reader.integer('SLOW_QUERY_MS', 1000, 0, MAX_TIMER_MS),
    external: readExternalSystem(reader),
    cache: Object.freeze({
      ttlMs: reader.integer('CACHE_TTL_MS', 0, 0, DAY_MS),
      staleIfErrorMs: reader.integer('CACHE_STALE_IF_ERROR_MS', 0, 0, 7 * DAY_MS),
      maxEntries: reader.integer('CACHE_MAX_ENTRIES', 10_000, 1, 1_000_000),
      maxBytes: reader.integer('CACHE_MAX_BYTES', 67_108_864, 1, 1_073_741_824),
    }),
    redisUrl: reader.redisUrl('REDIS_URL'),
    sandbox: Object.freeze({
      port: reader.integer('SANDBOX_PORT', 0, 0, 65_535),
      records: reader.integer('SANDBOX_RECORDS', 2000, 1, 1_000_000),
      variant: reader.choice('SANDBOX_VARIANT', SANDBOX_VARIANTS, 'extended'),
    }),
    access: readAccess(reader),
    rateLimit: readRateLimit(reader),
    trustedProxies: reader.networks('TRUST_PROXY'),
    management: readManagement(reader, address),
  };
  if (env.NODE_ENV === 'production')
    reader.require('EXTERNAL_SHIPPING_BASE_URL', 'must be set where NODE_ENV is production');
  reader.throwFaults();
  return Object.freeze(settings);
}

function readRateLimit(reader: EnvironmentReader): RateLimitSettings | undefined {
  const max = reader.integer('RATE_LIMIT_MAX', 0, 0, 1_000_000_000);
  const windowMs = reader.integer('RATE_LIMIT_WINDOW_MS', 60_000, 1000, 86_400_000);
  return max === 0 ? undefined : Object.freeze({ max, windowMs });
}

function readManagement(reader: EnvironmentReader, main: ManagementSettings): ManagementSettings | undefined {
  const port = reader.optionalInteger('MANAGEMENT_PORT', 0, 65_535);
  const host = reader.text('MANAGEMENT_HOST', main.host);
  if (port === undefined) return undefined;
  if (port !== 0 && port === main.port) reader.fault('MANAGEMENT_PORT', 'must differ from PORT');
  return Object.freeze({ host, port });
}

function readExternalSystem(reader: EnvironmentReader): ExternalSystemSettings {
  return Object.freeze({
    baseUrl: reader.baseUrl('EXTERNAL_SHIPPING_BASE_URL'),
    paths: Object.freeze({
      single: reader.path('EXTERNAL_SHIPPING_SINGLE_PATH', '/shippings/single'),
      byId: reader.path('EXTERNAL_SHIPPING_BY_ID_PATH', '/shippings/by-id/{id}', '{id}'),
      details: reader.path('EXTERNAL_SHIPPING_DETAILS_PATH', '/shippings/details'),
      paged: reader.path('EXTERNAL_SHIPPING_PAGED_PATH', '/shippings/paged'),
    }),
    token: reader.secret('EXTERNAL_SHIPPING_TOKEN'),
    timeoutMs: reader.integer('EXTERNAL_SHIPPING_TIMEOUT_MS', 5000, 1, MAX_TIMER_MS),
    attemptTimeoutMs: reader.integer('EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS', 2000, 1, MAX_TIMER_MS),
    maxAttempts: reader.integer('EXTERNAL_SHIPPING_MAX_ATTEMPTS', 3, 1, 10),
    maxConcurrent: reader.integer('EXTERNAL_SHIPPING_MAX_CONCURRENT', 64, 1, 10_000),
    maxQueue: reader.integer('EXTERNAL_SHIPPING_MAX_QUEUE', 1024, 0, 1_000_000),
    breakerOpenMs: reader.integer('EXTERNAL_SHIPPING_BREAKER_OPEN_MS', 5000, 1, MAX_TIMER_MS),
    maxResponseBytes: reader.integer('EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', DEFAULT_MAX_REPLY_BYTES, 1, 1_073_741_824),
  });
}
