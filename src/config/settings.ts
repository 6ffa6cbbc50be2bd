import { MAX_INTEGER } from '../common/bounds';
import { readAccess } from './access.settings';
import { readCache } from './cache.settings';
import { EnvironmentReader } from './environment-reader';
import { readExternalSystem } from './external-system.settings';
import { readSandbox } from './sandbox.settings';
import { DAY_MS, MAX_TIMER_MS, PORTS, type SettingDefinition } from './setting-definition';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['auto', 'pretty', 'json'] as const;
const LIST_FAILURES = ['empty', 'error'] as const;

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('Settings');

/** The pattern of identifiers unless `SHIPPING_ID_PATTERN` replaces it. */
export const DEFAULT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

/** Every setting of the service, as its readers below and in the other files of this folder give it. */
export type Settings = ReturnType<typeof readAll>;

/** How many requests one client may make in a window of so many milliseconds. */
export type RateLimitSettings = NonNullable<ReturnType<typeof readRateLimit>>;

/** The separate port of probes and metrics. */
export type ManagementSettings = NonNullable<ReturnType<typeof readManagement>>;

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
    reusePort: readReusePort(reader),
    /** `undefined`: probes and metrics are served on `port`. */
    management: readManagement(reader, { host, port }),
    trustedProxies: reader.networks('TRUST_PROXY', {
      help: 'Proxies whose `X-Forwarded-For` is used as the address of the client.',
    }),
    corsOrigins: reader.origins('CORS_ORIGINS', {
      help: 'Origins whose pages may call the operations from a browser; unset: none.',
    }),
    ...readLoad(reader),
    servesDocs:
      reader.choice('DOCS', ['on', 'off'], {
        default: 'on',
        help: 'With `off`, `/docs`, `/problems`, `/openapi.json`, `/openapi.yaml` and `/` are 404.',
      }) === 'on',
  };
}

function readLoad(reader: EnvironmentReader) {
  return {
    maxActiveRequests: reader.integer('MAX_ACTIVE_REQUESTS', {
      default: 4096,
      min: 1,
      max: 1_000_000,
      help: 'Requests in progress beyond which all but probes and metrics are refused with 503; at most four times as many connections are accepted, and not less than 256.',
    }),
    maxUnsentBytes: reader.integer('MAX_UNSENT_BYTES', {
      default: 268_435_456,
      min: 1_048_576,
      max: 1_000_000_000_000,
      help: 'Bytes of responses that clients have not taken yet, beyond which all but probes and metrics are refused with 503.',
    }),
  };
}

function readReusePort(reader: EnvironmentReader): boolean {
  const reusePort = reader.flag('REUSE_PORT', {
    default: false,
    help: 'Whether several processes may listen on `PORT`, over which Linux distributes the connections; needs Node 22 or later.',
  });
  // It would ignore the option, and the second process would find the port in use.
  if (reusePort && process.version.startsWith('v20.')) reader.addError('REUSE_PORT', 'needs Node 22 or later');
  return reusePort;
}

function readManagement(reader: EnvironmentReader, main: { host: string; port: number }) {
  const port = reader.optionalInteger('MANAGEMENT_PORT', {
    ...PORTS,
    help: 'Separate port for probes and metrics; unset: they are served on `PORT`.',
  });
  const host = reader.text('MANAGEMENT_HOST', {
    allowed: 'an address or a host name',
    help: 'Address that the separate port listens on; unset: the value of `HOST`.',
  });
  if (port === undefined) return undefined;
  if (port !== 0 && port === main.port) reader.addError('MANAGEMENT_PORT', 'must differ from PORT');
  return Object.freeze({ host: host || main.host, port });
}

function readOperations(reader: EnvironmentReader) {
  reader.section('Operations and logs');
  return {
    idPattern: reader.pattern('SHIPPING_ID_PATTERN', {
      default: DEFAULT_ID_PATTERN,
      help: 'Pattern that an identifier has to match as a whole; none has more than 256 characters.',
    }),
    maxPageSize: reader.integer('MAX_PAGE_SIZE', {
      default: 100,
      min: 1,
      max: 1000,
      help: 'Largest `PageSize`; below 10 it is the default of `PageSize`, too.',
    }),
    maxLimit: reader.integer('MAX_LIMIT', {
      default: 10_000,
      min: 1,
      max: MAX_INTEGER,
      help: 'Largest `Limit` that is sent to the external system; a larger one counts as this. Below 100 it is sent without `Limit`, too.',
    }),
    listFailure: reader.choice('LIST_FAILURE', LIST_FAILURES, {
      default: 'empty',
      help: 'Response where a list or page fails: 200 with an empty body, or 502, 503 or 504 as for strict clients.',
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
    logSampleRate: reader.share('LOG_SAMPLE_RATE', {
      default: 1,
      help: 'Share of the successful, complete requests that get a log line; all others always get one.',
    }),
    slowQueryMs: reader.integer('SLOW_QUERY_MS', {
      default: 1000,
      min: 0,
      max: MAX_TIMER_MS,
      help: 'Queries that take this many milliseconds or longer are logged as slow; 0: none.',
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
