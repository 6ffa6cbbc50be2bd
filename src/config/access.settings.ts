import type { EnvironmentReader } from './environment-reader';
import { isLoopback } from './value-formats';

const TOKEN_VARIABLES = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] as const;
const TOKEN_OPTIONS = ['AUTH_SCOPE'] as const;

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
  if (jwksUrl?.protocol === 'http:' && !isLoopback(jwksUrl.hostname)) {
    reader.addError('AUTH_JWKS_URL', 'must be an https URL, unless it is on loopback');
  }
  const token = {
    issuer,
    audience,
    scopes: reader.scopes('AUTH_SCOPE', { help: 'Scopes that a bearer token needs, all of them.' }),
  };
  if (![...TOKEN_VARIABLES, ...TOKEN_OPTIONS].some((name) => reader.isSet(name))) return undefined;
  // With some of them missing, the operations would be open, or accept tokens for other services.
  for (const name of TOKEN_VARIABLES) {
    reader.require(name, `must be set where any of ${[...TOKEN_VARIABLES, ...TOKEN_OPTIONS].join(', ')} is`);
  }
  return jwksUrl === undefined ? undefined : Object.freeze({ ...token, jwksUrl });
}
