import type { z } from 'zod';
import * as format from './value-formats';
import { choice, fileOf, type Format, integer, text } from './value-formats';

const DEFAULT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const DAY_MS = 86_400_000;
/** The longest delay of Node's timers, 2^31 - 1 ms: with a longer one they fire at once. */
const MAX_TIMER_MS = 2_147_483_647;
/** The body of an upstream response is decoded to one text, and V8 throws for texts of 512 MiB or more. */
const MAX_RESPONSE_BYTES = 500_000_000;
const port = integer(0, 65_535);
const delay = integer(1, MAX_TIMER_MS);

export interface Row<T> {
  readonly schema: z.ZodType<T, string | undefined>;
  readonly allowed: string;
  readonly fallback: string;
  readonly help: string;
}

/** All environment variables of the service. docs/settings.md is generated from this table, in the same order. */
export const TABLE = {
  HOST: row(format.host, '0.0.0.0', 'Address that the service listens on; `::`: IPv6 and IPv4.'),
  PORT: row(port, '3000', 'Port that the service listens on; 0: any free port.'),
  MANAGEMENT_PORT: optional(port, 'Separate port for metrics and the details of probes; unset: `PORT` has them.'),
  TRUST_PROXY: row(format.networks, '', 'Proxies whose `X-Forwarded-For` is used as the address of the client.'),
  PUBLIC_BASE_PATH: row(format.basePath, '', 'Path that a gateway in front removes, such as `/shipping`.'),
  CORS_ORIGINS: row(format.origins, '', 'Origins whose pages may call the operations from a browser; unset: none.'),
  MAX_ACTIVE_REQUESTS: row(integer(1, 1_000_000), '2048', 'Requests in progress, beyond which operations get 503.'),
  DOCS: row(choice('on', 'off'), 'on', '`off`: `/docs`, the documents, `/problems` and `/` are 404.'),

  SHIPPING_ID_PATTERN: row(format.pattern, DEFAULT_ID_PATTERN, 'Pattern that a whole identifier has to match.'),
  LOG_LEVEL: row(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'Least level to log.'),
  LOG_FORMAT: row(choice('auto', 'pretty', 'json'), 'auto', '`auto`: readable text on a terminal, JSON elsewhere.'),

  EXTERNAL_SHIPPING_BASE_URL: optional(format.baseUrl, 'The external system; unset: the embedded sandbox is used.'),
  NODE_ENV: optional(text, 'With `production`, `EXTERNAL_SHIPPING_BASE_URL` is required.'),
  EXTERNAL_SHIPPING_SINGLE_PATH: row(format.path, '/shippings/single', 'Path of the single lookup.'),
  EXTERNAL_SHIPPING_BY_ID_PATH: row(format.idPath, '/shippings/by-id/{id}', 'Path of the lookup by identifier.'),
  EXTERNAL_SHIPPING_DETAILS_PATH: row(format.path, '/shippings/details', 'Path of the unpaged list.'),
  EXTERNAL_SHIPPING_PAGED_PATH: row(format.path, '/shippings/paged', 'Path of the paged list.'),
  EXTERNAL_SHIPPING_TIMEOUT_MS: row(delay, '5000', 'Deadline of a whole call, retries and waits included.'),
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: row(delay, '2000', 'Deadline of one attempt, its body included.'),
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: row(integer(1, 10), '3', 'Attempts of one call, the first included.'),
  EXTERNAL_SHIPPING_MAX_CONCURRENT: row(integer(1, 10_000), '64', 'Calls in flight at the same time.'),
  EXTERNAL_SHIPPING_MAX_QUEUE: row(integer(0, 1_000_000), '1024', 'Calls that wait for a slot, one second at most.'),
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: row(delay, '5000', 'How long the circuit stays open at first.'),
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: row(integer(1, MAX_RESPONSE_BYTES), '5242880', 'Bytes of a decoded body.'),
  FORWARD_HEADERS: row(format.headerNames, '', 'Headers of clients that are sent on, such as `X-Tenant-Id`.'),
  FORWARD_CLAIMS: row(format.claimHeaders, '', 'Claims of verified tokens that are sent on; without them: 403.'),

  ...secret('EXTERNAL_SHIPPING_TOKEN', format.token, 'Token that is sent to the external system.'),
  EXTERNAL_SHIPPING_TOKEN_SCHEME: row(format.authScheme, 'Bearer', 'Word before the token, in `Authorization`.'),
  ...secret('EXTERNAL_SHIPPING_API_KEY', format.token, 'API key that is sent to the external system.'),
  EXTERNAL_SHIPPING_API_KEY_HEADER: row(format.headerName, 'X-API-Key', 'Header that carries the API key.'),
  EXTERNAL_SHIPPING_OAUTH_TOKEN_URL: optional(format.secureUrl, 'Token endpoint for OAuth 2.0 client credentials.'),
  EXTERNAL_SHIPPING_OAUTH_CLIENT_ID: optional(text, 'Client id at the token endpoint.'),
  ...secret('EXTERNAL_SHIPPING_OAUTH_CLIENT_SECRET', format.token, 'Client secret at the token endpoint.'),
  EXTERNAL_SHIPPING_OAUTH_CLIENT_AUTH: row(choice('basic', 'post'), 'basic', 'By HTTP Basic, or in the body.'),
  EXTERNAL_SHIPPING_OAUTH_SCOPE: row(format.scopes, '', 'Scopes that are requested.'),
  EXTERNAL_SHIPPING_OAUTH_AUDIENCE: row(text, '', '`audience` that is requested.'),

  EXTERNAL_SHIPPING_CA_FILE: optional(format.certificates, 'Authorities to trust instead of the system roots.'),
  EXTERNAL_SHIPPING_CLIENT_CERT_FILE: optional(format.certificates, 'The client certificate and its chain.'),
  EXTERNAL_SHIPPING_CLIENT_KEY_FILE: optional(format.key, 'The key of the client certificate.'),

  CACHE_TTL_MS: row(integer(0, DAY_MS), '0', 'How long a complete result is served from the cache; 0: never.'),
  CACHE_STALE_IF_ERROR_MS: row(integer(0, 7 * DAY_MS), '0', 'How long after that it is served on failure; 0: never.'),
  CACHE_MAX_BYTES: row(integer(1, 1_073_741_824), '67108864', 'Bytes of the results in the cache of the process.'),
  ...secret('REDIS_URL', format.redisUrls, 'Redis or Valkey that replicas share cache and rate limits in.'),

  AUTH_ISSUER: optional(format.filledText, 'Required `iss` of bearer tokens, compared exactly.'),
  AUTH_AUDIENCE: optional(format.filledText, 'Value that the `aud` of bearer tokens has to be or contain.'),
  AUTH_JWKS_URL: optional(format.secureUrl, 'Address of the JSON Web Key Set of the issuer.'),
  AUTH_SCOPE: row(format.scopes, '', 'Scopes that a bearer token needs, all of them.'),
  ...secret('AUTH_API_KEYS_SHA256', format.digests, 'Digests of the API keys that clients may use.'),

  RATE_LIMIT_MAX: row(integer(0, 1_000_000_000), '0', 'Requests of one client in a window; 0: no limit.'),
  RATE_LIMIT_WINDOW_MS: row(integer(1000, DAY_MS), '60000', 'Length of a window.'),

  SANDBOX_PORT: row(port, '0', 'Port of the sandbox; 0: any free port.'),
  SANDBOX_RECORDS: row(integer(1, 100_000), '2000', 'Number of records in the sandbox.'),
  SANDBOX_VARIANT: row(choice('extended', 'basic'), 'extended', 'Query rules of the sandbox.'),
};

export type Variable = keyof typeof TABLE;
export type Values = { readonly [Name in Variable]: z.output<(typeof TABLE)[Name]['schema']> };

function row<T>(format: Format<T>, fallback: string, help: string): Row<T> {
  return { schema: format.prefault(fallback), allowed: String(format.description), fallback, help };
}

function optional<T>(format: Format<T>, help: string): Row<T | undefined> {
  return { schema: format.optional(), allowed: String(format.description), fallback: '', help };
}

function secret<Name extends string, T>(name: Name, format: Format<T>, help: string) {
  const value = format.transform((value) => ({ value, file: undefined })).describe(String(format.description));
  const file = optional(fileOf(format), `File that contains \`${name}\`, instead of the variable.`);
  return { [name]: optional(value, help), [`${name}_FILE`]: file } as Record<Name | `${Name}_FILE`, typeof file>;
}
