import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Values } from './settings.schema';
import { readEnvironment } from './settings.validation';

export const SETTINGS = Symbol('Settings');

export type Settings = ReturnType<typeof settingsOf>;
export type OAuthSettings = Extract<ReturnType<typeof credentialsOf>, { kind: 'oauth' }>;

/** Lists all errors of the environment variables, without their values, because these may be secrets. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly errors: readonly string[]) {
    super(`Bad settings:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
  }
}

const BLANKS = String.raw`[^\S\n]*`;
const COMMENT = String.raw`#[^\n]*`;
const VALUE = String.raw`("[^"]*"|'[^']*'|\x60[^\x60]*\x60)${BLANKS}(${COMMENT})?|[^\s"'\x60][^\n]*`;
const ASSIGNMENT = String.raw`(export +)?[\w.-]+${BLANKS}=${BLANKS}(${VALUE})?`;
/**
 * What `.env` consists of: assignments, whose values may have several lines within quotes, comments and blank lines.
 * Node reads nothing from a line such as `set NAME=value` or `NAME: value`, and says nothing.
 */
const ENV_ENTRIES = new RegExp(String.raw`${BLANKS}(${COMMENT}|${ASSIGNMENT})?(\n|$)`, 'gy');

/**
 * Adds the variables of `.env`, except in production; those of the environment win.
 *
 * @throws {SettingsError} where the file is no text in UTF-8, or has a line whose setting would be lost (D26)
 */
export function loadEnvFile(): void {
  if (process.env.NODE_ENV === 'production' || !existsSync('.env')) return;
  const bytes = readFileSync('.env');
  // In another encoding, a secret would be read as another one, without an error of Node.
  if (!isUtf8(bytes)) throw new SettingsError(['The file .env must be text in UTF-8']);
  // Editors on Windows write byte order marks, with which Node would lose the first variable.
  const text = bytes.toString().replace(/^\ufeff/, '');
  const entries = text.match(ENV_ENTRIES) ?? [];
  const read = entries.join('');
  if (read !== text) {
    throw new SettingsError([`Line ${read.split('\n').length} of .env must be NAME=value, a comment or blank`]);
  }
  // Node 20 loses the variable behind a line of blanks, and any Node that behind `export` and two blanks.
  const lines = entries.map((entry) => `${entry.trim().replace(/^export +/, '')}\n`);
  for (const [name, value] of Object.entries(parseEnv(lines.join('')))) process.env[name] ??= value;
}

/** Turns an error of `listen` into one that also names the settings to change (D26). */
export function throwNaming(names: string, error: unknown): never {
  throw new Error(`${names} cannot be used: ${(error as Error).message}`, { cause: error });
}

/** @throws {SettingsError} */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { values, faults, warnings } = readEnvironment(env);
  if (faults.length > 0) throw new SettingsError(faults);
  return settingsOf(values as Values, warnings);
}

function settingsOf(values: Values, warnings: readonly string[]) {
  const { RATE_LIMIT_MAX: max } = values;
  const { CACHE_TTL_MS: ttlMs, CACHE_STALE_IF_ERROR_MS: staleIfErrorMs, CACHE_MAX_BYTES: maxBytes } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    /** Port of probes and metrics; where it is `undefined`, they are served on `port`. */
    managementPort: values.MANAGEMENT_PORT,
    trustedProxies: values.TRUST_PROXY,
    /**
     * The prefix of every path in responses, such as in `Link`, `Location` and `type` (D84). A gateway in front of the
     * service removes it from the paths of requests. Empty by default.
     */
    publicBasePath: values.PUBLIC_BASE_PATH,
    corsOrigins: values.CORS_ORIGINS,
    maxActiveRequests: values.MAX_ACTIVE_REQUESTS,
    servesDocs: values.DOCS === 'on',
    idPattern: values.SHIPPING_ID_PATTERN,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    external: externalSystemOf(values),
    cache: { ttlMs, staleIfErrorMs, maxBytes },
    /** One Redis, or several nodes of one Redis Cluster. */
    redisUrls: values.REDIS_URL?.value,
    /** Where neither tokens nor keys are configured, the operations are open to everybody. */
    access: { token: tokenOf(values), apiKeys: values.AUTH_API_KEYS_SHA256?.value ?? [] },
    rateLimit: max === 0 ? undefined : { max, windowMs: values.RATE_LIMIT_WINDOW_MS },
    sandbox: { port: values.SANDBOX_PORT, records: values.SANDBOX_RECORDS, variant: values.SANDBOX_VARIANT },
    warnings,
  };
}

function externalSystemOf(values: Values) {
  // Where `FORWARD_CLAIMS` sets a header of upstream requests from a claim of the token, the client's own header of
  // that name is not forwarded: with it, the client could choose another tenant.
  const claimed = values.FORWARD_CLAIMS.map(({ header }) => header.toLowerCase());
  return {
    /** Where it is `undefined`, the embedded sandbox is called, which simulates the external system. */
    baseUrl: values.EXTERNAL_SHIPPING_BASE_URL,
    paths: {
      single: values.EXTERNAL_SHIPPING_SINGLE_PATH,
      byId: values.EXTERNAL_SHIPPING_BY_ID_PATH,
      details: values.EXTERNAL_SHIPPING_DETAILS_PATH,
      paged: values.EXTERNAL_SHIPPING_PAGED_PATH,
    },
    timeoutMs: values.EXTERNAL_SHIPPING_TIMEOUT_MS,
    attemptTimeoutMs: values.EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS,
    maxAttempts: values.EXTERNAL_SHIPPING_MAX_ATTEMPTS,
    maxConcurrent: values.EXTERNAL_SHIPPING_MAX_CONCURRENT,
    maxQueue: values.EXTERNAL_SHIPPING_MAX_QUEUE,
    breakerOpenMs: values.EXTERNAL_SHIPPING_BREAKER_OPEN_MS,
    maxResponseBytes: values.EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES,
    credentials: credentialsOf(values),
    /** PEM texts of the certificates and the key. */
    tls: {
      ca: values.EXTERNAL_SHIPPING_CA_FILE,
      cert: values.EXTERNAL_SHIPPING_CLIENT_CERT_FILE,
      key: values.EXTERNAL_SHIPPING_CLIENT_KEY_FILE,
    },
    forwardHeaders: values.FORWARD_HEADERS.filter((name) => !claimed.includes(name.toLowerCase())),
    forwardClaims: values.FORWARD_CLAIMS,
  };
}

function credentialsOf(values: Values) {
  const { EXTERNAL_SHIPPING_TOKEN: token, EXTERNAL_SHIPPING_TOKEN_SCHEME: scheme } = values;
  const { EXTERNAL_SHIPPING_API_KEY: apiKey, EXTERNAL_SHIPPING_API_KEY_HEADER: header } = values;
  const { EXTERNAL_SHIPPING_OAUTH_TOKEN_URL: tokenUrl, EXTERNAL_SHIPPING_OAUTH_CLIENT_SECRET: clientSecret } = values;
  if (token !== undefined) return { kind: 'token' as const, scheme, secret: token };
  if (apiKey !== undefined) return { kind: 'api-key' as const, header, secret: apiKey };
  if (tokenUrl === undefined || clientSecret === undefined) return { kind: 'none' as const };
  return {
    kind: 'oauth' as const,
    tokenUrl,
    clientId: values.EXTERNAL_SHIPPING_OAUTH_CLIENT_ID ?? '',
    clientSecret,
    clientAuth: values.EXTERNAL_SHIPPING_OAUTH_CLIENT_AUTH,
    /** An empty scope or audience is not sent. */
    scope: values.EXTERNAL_SHIPPING_OAUTH_SCOPE.join(' '),
    audience: values.EXTERNAL_SHIPPING_OAUTH_AUDIENCE,
  };
}

function tokenOf({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl, AUTH_SCOPE: scopes }: Values) {
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  return { issuer, audience, jwksUrl, scopes };
}
