import { readAccess } from './access.settings';
import { readCache } from './cache.settings';
import { EnvironmentReader } from './environment-reader';
import { readExternalSystem } from './external-system.settings';
import { readSandbox } from './sandbox.settings';
import { DAY_MS, PORTS, type SettingDefinition } from './setting-definition';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['auto', 'pretty', 'json'] as const;

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('Settings');

/** The pattern of identifiers unless `SHIPPING_ID_PATTERN` replaces it. */
export const DEFAULT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

/** Every setting of the service, as its readers below and in the other files of this folder give it. */
export type Settings = ReturnType<typeof readAll>;

/** How many requests one client may make in a window of so many milliseconds. */
export type RateLimitSettings = NonNullable<ReturnType<typeof readRateLimit>>;

/**
 * Reads every setting from the environment, once, at start.
 *
 * @throws {SettingsError} listing all errors, and no value
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const reader = new EnvironmentReader(env);
  const settings = readAll(reader);
  reader.throwErrors();
  return settings;
}

/** Every variable that the service reads, in the order of docs/settings.md. */
export function settingDefinitions(): readonly SettingDefinition[] {
  const reader = new EnvironmentReader({});
  readAll(reader);
  return reader.definitions;
}

function readAll(reader: EnvironmentReader) {
  return Object.freeze({
    ...readServer(reader),
    ...readOperations(reader),
    external: readExternalSystem(reader),
    cache: readCache(reader),
    /** What replicas share; may contain a password. */
    redisUrl: reader.redisUrl('REDIS_URL', {
      help: 'Redis or Valkey that replicas share cache and rate limits in; unset: each replica keeps its own.',
    }),
    access: readAccess(reader),
    /** `undefined`: no limit. */
    rateLimit: readRateLimit(reader),
    sandbox: readSandbox(reader),
  });
}

function readServer(reader: EnvironmentReader) {
  reader.section('Server');
  const host = reader.text('HOST', {
    default: '0.0.0.0',
    allowed: 'an address or a host name',
    help: 'Address that the service listens on.',
  });
  const port = reader.integer('PORT', {
    default: 3000,
    ...PORTS,
    help: 'Port that the service listens on; 0: any free port.',
  });
  return {
    host,
    port,
    /** `undefined`: probes and metrics are served on `port`. */
    managementPort: readManagementPort(reader, port),
    trustedProxies: reader.networks('TRUST_PROXY', {
      help: 'Proxies whose `X-Forwarded-For` is used as the address of the client.',
    }),
    corsOrigins: reader.origins('CORS_ORIGINS', {
      help: 'Origins whose pages may call the operations from a browser; unset: none.',
    }),
    maxActiveRequests: reader.integer('MAX_ACTIVE_REQUESTS', {
      default: 2048,
      min: 1,
      max: 1_000_000,
      help: 'Requests in progress beyond which all but probes and metrics are refused with 503; at most four times as many connections are accepted, and not less than 256.',
    }),
    servesDocs:
      reader.choice('DOCS', ['on', 'off'], {
        default: 'on',
        help: 'With `off`, `/docs`, `/problems`, `/openapi.json`, `/openapi.yaml` and `/` are 404.',
      }) === 'on',
  };
}

function readManagementPort(reader: EnvironmentReader, mainPort: number): number | undefined {
  const port = reader.optionalInteger('MANAGEMENT_PORT', {
    ...PORTS,
    help: 'Separate port for probes and metrics; unset: they are served on `PORT`.',
  });
  if (port !== undefined && port !== 0 && port === mainPort)
    reader.addError('MANAGEMENT_PORT', 'must differ from PORT');
  return port;
}

function readOperations(reader: EnvironmentReader) {
  reader.section('Operations and logs');
  return {
    idPattern: reader.pattern('SHIPPING_ID_PATTERN', {
      default: DEFAULT_ID_PATTERN,
      help: 'Pattern that an identifier has to match as a whole; none has more than 256 characters.',
    }),
    ...readLogs(reader),
  };
}

function readLogs(reader: EnvironmentReader) {
  return {
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, {
      default: 'info',
      help: 'Least level of the log lines that are written.',
    }),
    logFormat: reader.choice('LOG_FORMAT', LOG_FORMATS, {
      default: 'auto',
      help: 'Form of the log lines: readable text, or JSON; `auto`: text on a terminal, JSON elsewhere.',
    }),
  };
}

function readRateLimit(reader: EnvironmentReader) {
  reader.section('Rate limiting');
  const max = reader.integer('RATE_LIMIT_MAX', {
    default: 0,
    min: 0,
    max: 1_000_000_000,
    help: 'Requests of one client in a window; 0: no limit.',
  });
  const windowMs = reader.integer('RATE_LIMIT_WINDOW_MS', {
    default: 60_000,
    min: 1000,
    max: DAY_MS,
    help: 'Length of a window in milliseconds.',
  });
  return max === 0 ? undefined : Object.freeze({ max, windowMs });
}
