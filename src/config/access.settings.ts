import type { EnvironmentReader } from './environment-reader';
import { DAY_MS } from './setting-definition';
import { isLoopback } from './value-formats';

/** Signature algorithms with public keys only: with a shared secret, clients could sign tokens. */
const TOKEN_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

const TOKEN_VARIABLES = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] as const;
const TOKEN_OPTIONS = [
  'AUTH_SCOPE',
  'AUTH_ALGORITHMS',
  'AUTH_CLOCK_SKEW_MS',
  'AUTH_JWKS_MAX_AGE_MS',
  'AUTH_JWKS_ALLOW_HTTP',
] as const;

/** Which bearer tokens are accepted. */
export type TokenSettings = NonNullable<ReturnType<typeof readToken>>;

/** The accepted credentials; without either, the operations are open. */
export type AccessSettings = ReturnType<typeof readAccess>;

/** Whether clients have to authenticate. */
export function isRestricted({ token, apiKeys }: AccessSettings): boolean {
  return token !== undefined || apiKeys.length > 0;
}

export function readAccess(reader: EnvironmentReader) {
  reader.section('Authentication');
  const token = readToken(reader);
  const apiKeys = reader.digests('AUTH_API_KEYS_SHA256', {
    help: 'SHA-256 digests of the API keys that are accepted in `X-API-Key`.',
  });
  return Object.freeze({ token, apiKeys });
}

function readToken(reader: EnvironmentReader) {
  const issuer = reader.text('AUTH_ISSUER', { help: 'Required `iss` of bearer tokens, compared exactly.' });
  const audience = reader.text('AUTH_AUDIENCE', {
    help: 'Value that the `aud` of bearer tokens has to be or contain.',
  });
  const jwksUrl = reader.url('AUTH_JWKS_URL', {
    help: 'Address of the JSON Web Key Set of the issuer; `http` on loopback only.',
  });
  const allowsHttp = reader.flag('AUTH_JWKS_ALLOW_HTTP', {
    default: false,
    help: 'Allows `http` for `AUTH_JWKS_URL` on any host: an attacker on the network can then replace the keys and sign tokens.',
  });
  if (jwksUrl?.protocol === 'http:' && !isLoopback(jwksUrl.hostname) && !allowsHttp) {
    reader.addError('AUTH_JWKS_URL', 'must be an https URL, unless it is on loopback or AUTH_JWKS_ALLOW_HTTP is true');
  }
  const token = {
    issuer,
    audience,
    scopes: reader.scopes('AUTH_SCOPE', { help: 'Scopes that a bearer token needs, all of them.' }),
    algorithms: reader.choices('AUTH_ALGORITHMS', TOKEN_ALGORITHMS, { help: 'Accepted signature algorithms.' }),
    jwksMaxAgeMs: reader.integer('AUTH_JWKS_MAX_AGE_MS', {
      default: DAY_MS,
      min: 60_000,
      max: 30 * DAY_MS,
      help: 'How long fetched keys are trusted while they cannot be refreshed, in milliseconds.',
    }),
    clockSkewMs: reader.integer('AUTH_CLOCK_SKEW_MS', {
      default: 30_000,
      min: 0,
      max: 300_000,
      help: 'Tolerated difference between the clocks of issuer and service, in milliseconds.',
    }),
  };
  if (![...TOKEN_VARIABLES, ...TOKEN_OPTIONS].some((name) => reader.isSet(name))) return undefined;
  // With some of them missing, the operations would be open, or accept tokens for other services.
  for (const name of TOKEN_VARIABLES) {
    reader.require(name, `must be set where any of ${[...TOKEN_VARIABLES, ...TOKEN_OPTIONS].join(', ')} is`);
  }
  return jwksUrl === undefined ? undefined : Object.freeze({ ...token, jwksUrl });
}
