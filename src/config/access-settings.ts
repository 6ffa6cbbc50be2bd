import type { EnvironmentReader } from './environment-reader';

/** Signature algorithms with public keys: a secret shared with callers could sign, so that none with secrets is here. */
export const TOKEN_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

const TOKEN_VARIABLES = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] as const;
const TOKEN_OPTIONS = ['AUTH_SCOPE', 'AUTH_ALGORITHMS', 'AUTH_CLOCK_SKEW_MS'] as const;

/** Which bearer tokens are accepted. */
export interface TokenSettings {
  /** `iss`, exactly. */
  readonly issuer: string;
  /** What `aud` has to be or hold. */
  readonly audience: string;
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: URL;
  readonly algorithms: readonly (typeof TOKEN_ALGORITHMS)[number][];
  /** How far the clocks of issuer and service may be apart, in milliseconds. */
  readonly clockSkewMs: number;
  /** Scopes that a token has to hold, all of them. */
  readonly scopes: readonly string[];
}

/** Who may call the operations; everybody where neither is set. */
export interface AccessSettings {
  readonly token: TokenSettings | undefined;
  /** SHA-256 digests of the accepted API keys. */
  readonly apiKeys: readonly Buffer[];
}

/** Whether callers have to say who they are. */
export function isRestricted({ token, apiKeys }: AccessSettings): boolean {
  return token !== undefined || apiKeys.length > 0;
}

export function readAccess(reader: EnvironmentReader): AccessSettings {
  return Object.freeze({ token: readToken(reader), apiKeys: reader.digests('AUTH_API_KEYS_SHA256') });
}

function readToken(reader: EnvironmentReader): TokenSettings | undefined {
  const jwksUrl = reader.url('AUTH_JWKS_URL');
  const token = {
    issuer: reader.text('AUTH_ISSUER', ''),
    audience: reader.text('AUTH_AUDIENCE', ''),
    algorithms: reader.choices('AUTH_ALGORITHMS', TOKEN_ALGORITHMS),
    clockSkewMs: reader.integer('AUTH_CLOCK_SKEW_MS', 30_000, 0, 300_000),
    scopes: reader.scopes('AUTH_SCOPE'),
  };
  if (![...TOKEN_VARIABLES, ...TOKEN_OPTIONS].some((name) => reader.isSet(name))) return undefined;
  // One of them alone would leave the operations open to everybody, or to tokens that were meant for others.
  for (const name of TOKEN_VARIABLES) {
    reader.require(name, `must be set where any of ${[...TOKEN_VARIABLES, ...TOKEN_OPTIONS].join(', ')} is`);
  }
  return jwksUrl === undefined ? undefined : Object.freeze({ ...token, jwksUrl });
}
