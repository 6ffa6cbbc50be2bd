import { DEFAULT_ID_PATTERN } from '../shipping/model/limits';
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

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly corsOrigins: readonly string[];
  readonly idPattern: RegExp;
  readonly external: ExternalSystemSettings;
  readonly cache: CacheSettings;
  /** Redis for what replicas share; `undefined`: each keeps to itself. May carry a password. */
  readonly redisUrl: URL | undefined;
  readonly sandbox: SandboxSettings;
}

/**
 * Reads every setting from the environment, once, at start.
 *
 * @throws {SettingsError} naming every fault at once, and never a value
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const reader = new EnvironmentReader(env);
  const settings: Settings = {
    host: reader.text('HOST', '0.0.0.0'),
    port: reader.integer('PORT', 3000, 0, 65_535),
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    corsOrigins: reader.origins('CORS_ORIGINS'),
    idPattern: reader.pattern('SHIPPING_ID_PATTERN', DEFAULT_ID_PATTERN),
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
  };
  if (env.NODE_ENV === 'production')
    reader.require('EXTERNAL_SHIPPING_BASE_URL', 'must be set where NODE_ENV is production');
  reader.throwFaults();
  return Object.freeze(settings);
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
    maxResponseBytes: reader.integer('EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', 5_242_880, 1, 1_073_741_824),
  });
}
