import { Logger } from '@nestjs/common';
import type { FetchImplementation, JSONWebKeySet, JWTPayload, JWTVerifyResult, RemoteJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { Settings } from '../config/settings';
import type { ProblemDefinition } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { Principal } from '../http/requests/request-state';

type Jose = typeof import('jose');
type TokenSettings = NonNullable<Settings['access']['token']>;

/** No shared secrets: clients that know one could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** RFC 9068, and none. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const CLOCK_SKEW_S = 30;

const KEY_OPTIONS = {
  timeoutDuration: 2000,
  /** Between two fetches for unknown keys. */
  cooldownDuration: 10_000,
  /** Older keys are fetched again before use. */
  cacheMaxAge: 86_400_000,
};
/** Between a failed and the next fetch of keys. */
export const FAILURE_PAUSE_MS = 1000;

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
  // Tokens expire by the wall clock.
  private readonly verified = new LRUCache<string, Authentication>({ max: 10_000, perf: Date });
  private fetches = 0;
  private pausedUntil = -Infinity;

  constructor(
    private readonly jose: Jose,
    private readonly settings: TokenSettings,
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
      if (error instanceof KeysUnavailableError) return { problem: PROBLEMS.keysUnavailable };
      const isExpired = error instanceof this.jose.errors.JWTExpired;
      return { problem: isExpired ? PROBLEMS.expiredToken : PROBLEMS.invalidToken };
    }
  }

  /** No keys are fetched for expired tokens or those of other issuers. */
  private checkBeforeFetch(token: string): void {
    const { decodeJwt, errors } = this.jose;
    const claims = decodeJwt(token);
    if (claims.iss !== this.settings.issuer || typeof claims.exp !== 'number') throw new errors.JWTInvalid();
    if (endOf(claims) <= Date.now()) throw new errors.JWTExpired('Expired', claims);
  }

  /** The library fetches keys again only for unknown key ids: here for tokens without one. */
  private async verifySignature(token: string): Promise<JWTVerifyResult> {
    const { decodeProtectedHeader, errors } = this.jose;
    const { fetches } = this;
    try {
      return await this.verifyByEachKey(token);
    } catch (error) {
      const fitsNoKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (!fitsNoKey || decodeProtectedHeader(token).kid !== undefined) throw error;
      if (!this.keys.coolingDown) await this.keys.reload();
      // Another request may have fetched them meanwhile.
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

  /** After a failure, the library would fetch for each token: its cool-down counts from the last success. */
  private async fetchKeys(url: string, options: RequestInit): Promise<Response> {
    if (performance.now() < this.pausedUntil) throw new KeysUnavailableError();
    try {
      const response = await fetch(url, options);
      if (!response.ok) throw new Error('No keys', { cause: { code: `status ${response.status}` } });
      const set = (await response.json()) as JSONWebKeySet;
      this.jose.createLocalJWKSet(set);
      if (set.keys.length === 0) throw new RangeError('An empty set would refuse every token');
      this.fetches += 1;
      return Response.json(set);
    } catch (error) {
      // Their messages may name the key server.
      const { name, cause } = error as Error & { cause?: { code?: string } };
      this.logger.warn(`The keys of the token issuer cannot be fetched: ${cause?.code ?? name}`);
      this.pausedUntil = performance.now() + FAILURE_PAUSE_MS;
      throw new KeysUnavailableError();
    }
  }

  private authenticationOf(claims: JWTPayload): Authentication {
    const { issuer, scopes: required } = this.settings;
    // Clients that act for themselves have an id instead of a subject.
    const subject = [claims.sub, claims.client_id, claims.azp].find((name) => typeof name === 'string');
    const id = subject === undefined ? undefined : `subject ${issuer} ${subject}`;
    // `scp` is not of RFC 9068: a list or a text.
    const values = [claims.scope, claims.scp].flat();
    const scopes = values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
    const problem = required.every((scope) => scopes.includes(scope)) ? undefined : PROBLEMS.insufficientScope;
    return { user: { id, name: subject, subject, scopes, claims }, problem };
  }
}

/** In milliseconds since 1970. */
function endOf({ exp = 0 }: JWTPayload): number {
  return (exp + CLOCK_SKEW_S) * 1000;
}
