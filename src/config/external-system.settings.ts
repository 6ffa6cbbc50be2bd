import { readCredentials } from './credentials.settings';
import type { EnvironmentReader } from './environment-reader';
import { readForwardedHeaders } from './headers.settings';
import { MAX_TIMER_MS } from './setting-definition';
import { readTls } from './tls.settings';

/** A body is decoded into one string, and a string of V8 is shorter than 512 MiB. */
const MAX_RESPONSE_BYTES = 500_000_000;

/** Paths of the external system, below its base URL; `{id}` in `byId` stands for the identifier. */
export type ExternalPaths = ReturnType<typeof readPaths>;

/** The address, limits and deadlines of the external shipping system, and what requests to it carry. */
export type ExternalSystemSettings = ReturnType<typeof readExternalSystem>;

export function readExternalSystem(reader: EnvironmentReader) {
  reader.section('External system');
  const baseUrl = reader.baseUrl('EXTERNAL_SHIPPING_BASE_URL', {
    help: 'Base URL of the external system; unset: the embedded sandbox is started and used.',
  });
  const environment = reader.text('NODE_ENV', { help: 'With `production`, `EXTERNAL_SHIPPING_BASE_URL` is required.' });
  if (environment === 'production')
    reader.require('EXTERNAL_SHIPPING_BASE_URL', 'must be set where NODE_ENV is production');
  const address = { baseUrl, paths: readPaths(reader), ...readDeadlines(reader), ...readLimits(reader) };
  const credentials = readCredentials(reader);
  const tls = readTls(reader);
  return Object.freeze({ ...address, credentials, tls, forwardHeaders: readForwardedHeaders(reader, credentials) });
}

function readPaths(reader: EnvironmentReader) {
  return Object.freeze({
    single: reader.path('EXTERNAL_SHIPPING_SINGLE_PATH', {
      default: '/shippings/single',
      help: 'Path of the single lookup.',
    }),
    byId: reader.path('EXTERNAL_SHIPPING_BY_ID_PATH', {
      default: '/shippings/by-id/{id}',
      placeholder: '{id}',
      help: 'Path of the lookup by identifier.',
    }),
    details: reader.path('EXTERNAL_SHIPPING_DETAILS_PATH', {
      default: '/shippings/details',
      help: 'Path of the unpaged list.',
    }),
    paged: reader.path('EXTERNAL_SHIPPING_PAGED_PATH', {
      default: '/shippings/paged',
      help: 'Path of the paged list.',
    }),
  });
}

function readDeadlines(reader: EnvironmentReader) {
  return {
    timeoutMs: reader.integer('EXTERNAL_SHIPPING_TIMEOUT_MS', {
      default: 5000,
      min: 1,
      max: MAX_TIMER_MS,
      help: 'Deadline of a whole call in milliseconds, retries and waits included.',
    }),
    attemptTimeoutMs: reader.integer('EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS', {
      default: 2000,
      min: 1,
      max: MAX_TIMER_MS,
      help: 'Deadline of one attempt in milliseconds, up to the last byte of the body.',
    }),
    maxAttempts: reader.integer('EXTERNAL_SHIPPING_MAX_ATTEMPTS', {
      default: 3,
      min: 1,
      max: 10,
      help: 'Attempts of one call, the first included.',
    }),
  };
}

function readLimits(reader: EnvironmentReader) {
  return {
    maxConcurrent: reader.integer('EXTERNAL_SHIPPING_MAX_CONCURRENT', {
      default: 64,
      min: 1,
      max: 10_000,
      help: 'Calls in flight at the same time.',
    }),
    maxQueue: reader.integer('EXTERNAL_SHIPPING_MAX_QUEUE', {
      default: 1024,
      min: 0,
      max: 1_000_000,
      help: 'Calls that wait for a slot, each for 250 ms at most, or for one second while slots are released fast enough.',
    }),
    breakerOpenMs: reader.integer('EXTERNAL_SHIPPING_BREAKER_OPEN_MS', {
      default: 5000,
      min: 1,
      max: MAX_TIMER_MS,
      help: 'How long the circuit stays open at first, in milliseconds.',
    }),
    maxResponseBytes: reader.integer('EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES', {
      default: 5_242_880,
      min: 1,
      max: MAX_RESPONSE_BYTES,
      help: 'Largest upstream response in bytes, compressed and decoded.',
    }),
  };
}

/** Injection token of the {@link ExternalSystem}. */
export const EXTERNAL_SYSTEM = Symbol('ExternalSystem');

/** Where the external shipping system is, once that is known. */
export interface ExternalSystem {
  /** Its base URL; the path ends without a slash unless it is the root. */
  readonly url: URL;
  /** Whether it is the sandbox that this service started for itself. */
  readonly embedded: boolean;
  /** Ends what was started along with it. */
  stop(): Promise<void>;
}
