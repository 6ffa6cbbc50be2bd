import { Logger } from '@nestjs/common';
import type { FetchImplementation, JSONWebKeySet, JWTPayload, JWTVerifyResult, RemoteJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { boundedText } from '../common/bounded-text';
import type { Settings } from '../config/settings';
import { PROBLEMS, type ProblemDefinition } from '../http/problems/problem-definitions';
import type { Principal } from '../http/requests/request-state';

/** Algorithms with shared secrets are missing: whoever knows such a secret could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** The values of `typ` that are accepted: none, those of JWT and those of RFC 9068. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const CLOCK_SKEW_S = 30;

const KEY_OPTIONS = {
  timeoutDuration: 2000,
  /** The least time between two fetches for unknown keys. */
  cooldownDuration: 10_000,
  /** Keys that are older are fetched again before they are used. */
  cacheMaxAge: 86_400_000,
};
/** The least time between a failed and the next fetch of keys. */
const FAILURE_PAUSE_MS = 1000;
export const KEYS_UNAVAILABLE = { ...PROBLEMS.keysUnavailable, retryAfterMs: FAILURE_PAUSE_MS };

/** Each token without `kid` is tried with every fitting key, so that the number of keys bounds what a token costs. */
export const MAX_KEYS = 100;
/** 100 keys of RSA with their certificates take less. */
export const MAX_KEY_SET_BYTES = 1_048_576;

const MAX_VERIFIED_MS = 600_000;

/** The client of a credential, and why it is refused. */
export interface Authentication {
  readonly user?: Principal;
  readonly problem?: ProblemDefinition;
}

class KeysUnavailableError extends Error {}

/** Verifies bearer tokens (JWT) with the keys of their issuer (JWKS), each once in ten minutes. */
export class TokenVerifier {
  private readonly logger = new Logger(TokenVerifier.name);
  private readonly keys: RemoteJWKSet;
  // The clock of the cache is the wall clock, by which tokens expire.
  private readonly verified = new LRUCache<string, Authentication>({ max: 10_000, perf: Date });
  private fetches = 0;
  private pausedUntil = -Infinity;

  constructor(
    private readonly jose: typeof import('jose'),
    private readonly settings: NonNullable<Settings['access']['token']>,
  ) {
    const fetchKeys: FetchImplementation = (url, options) => this.fetchKeys(url, options);
    this.keys = jose.createRemoteJWKSet(settings.jwksUrl, { ...KEY_OPTIONS, [jose.customFetch]: fetchKeys });
  }

  /** @param beforeVerification may throw to refuse a token that was not verified before */
  async verify(token: string, beforeVerification: () => Promise<void>): Promise<Authentication> {
    const digest = hash('sha256', token, 'base64url');
    const known = this.verified.get(digest);
    if (known !== undefined) return known;
    await beforeVerification();
    try {
      this.checkBeforeFetch(token);
      const { payload, protectedHeader } = await this.verifySignature(token);
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) return { problem: PROBLEMS.invalidToken };
      const authentication = this.authenticationOf(payload);
      // The cache keeps entries for the last millisecond of their `ttl`, too.
      const ttl = Math.min(MAX_VERIFIED_MS, endOf(payload) - Date.now()) - 1;
      if (ttl > 0) this.verified.set(digest, authentication, { ttl });
      return authentication;
    } catch (error) {
      if (error instanceof KeysUnavailableError) return { problem: KEYS_UNAVAILABLE };
      const isExpired = error instanceof this.jose.errors.JWTExpired;
      return { problem: isExpired ? PROBLEMS.expiredToken : PROBLEMS.invalidToken };
    }
  }

  /** Refuses expired tokens and those of other issuers before any key is fetched for them. */
  private checkBeforeFetch(token: string): void {
    const { decodeJwt, errors } = this.jose;
    const claims = decodeJwt(token);
    if (claims.iss !== this.settings.issuer || typeof claims.exp !== 'number') throw new errors.JWTInvalid();
    if (endOf(claims) <= Date.now()) throw new errors.JWTExpired('Expired', claims);
  }

  /** Fetches keys again for tokens without a key id, too: the library does it only for ids that it does not know. */
  private async verifySignature(token: string): Promise<JWTVerifyResult> {
    const { decodeProtectedHeader, errors } = this.jose;
    const { fetches } = this;
    try {
      return await this.verifyByEachKey(token);
    } catch (error) {
      const fitsNoKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (!fitsNoKey || decodeProtectedHeader(token).kid !== undefined) throw error;
      if (!this.keys.coolingDown) await this.keys.reload();
      // Another request may have fetched the keys in the meantime.
      if (this.fetches === fetches) throw error;
      return await this.verifyByEachKey(token);
    }
  }

  private async verifyByEachKey(token: string): Promise<JWTVerifyResult> {
    const { errors, jwtVerify } = this.jose;
    const { issuer, audience } = this.settings;
    const options = { algorithms: ALGORITHMS, issuer, audience, clockTolerance: CLOCK_SKEW_S, requiredClaims: ['exp'] };
    try {
      return await jwtVerify(token, this.keys, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) {
        const result = await jwtVerify(token, key, options).catch(() => undefined);
        if (result !== undefined) return result;
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  /** Keeps a pause after a failure. The library would fetch for each token, because its cool-down counts from the last success. */
  private async fetchKeys(url: string, options: RequestInit): Promise<Response> {
    if (performance.now() < this.pausedUntil) throw new KeysUnavailableError();
    try {
      const response = await fetch(url, options);
      if (!response.ok) throw setError(`status ${response.status}`);
      const text = await boundedText(response, MAX_KEY_SET_BYTES);
      if (text === undefined) throw setError(`larger than ${MAX_KEY_SET_BYTES} bytes`);
      const set = JSON.parse(text) as JSONWebKeySet;
      this.jose.createLocalJWKSet(set);
      // An empty set would refuse every token.
      if (set.keys.length === 0) throw setError('no keys');
      if (set.keys.length > MAX_KEYS) throw setError(`more than ${MAX_KEYS} keys`);
      this.fetches += 1;
      return Response.json(set);
    } catch (error) {
      // The messages of errors may name the key server.
      const { name, cause } = error as Error & { cause?: { code?: string } };
      this.logger.warn(`The keys of the token issuer cannot be fetched: ${cause?.code ?? name}`);
      this.pausedUntil = performance.now() + FAILURE_PAUSE_MS;
      throw new KeysUnavailableError();
    }
  }

  private authenticationOf(claims: JWTPayload): Authentication {
    const { issuer, scopes: required } = this.settings;
    // Tokens of clients that act for themselves have the id of the client instead of a subject.
    const subject = [claims.sub, claims.client_id, claims.azp].find((name) => typeof name === 'string');
    const id = subject === undefined ? undefined : `subject ${issuer} ${subject}`;
    // Some issuers send `scp`, a list or a text, instead of the `scope` of RFC 9068.
    const values = [claims.scope, claims.scp].flat();
    const scopes = values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
    const problem = required.every((scope) => scopes.includes(scope)) ? undefined : PROBLEMS.insufficientScope;
    return { user: { id, name: subject, subject, scopes, claims }, problem };
  }
}

/** An error with a cause for the log. */
function setError(code: string): Error {
  return new Error('No keys', { cause: { code } });
}

/** The end of a token's life, in milliseconds since 1970. */
function endOf({ exp = 0 }: JWTPayload): number {
  return (exp + CLOCK_SKEW_S) * 1000;
}
