import { Logger } from '@nestjs/common';
import type { JSONWebKeySet, JWTPayload, JWTVerifyResult, RemoteJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { boundedText, directFetch } from '../common/direct-fetch';
import { LoggedError, titleOf } from '../common/errors';
import type { Settings } from '../config/settings';
import { type ProblemDefinition, PROBLEMS } from '../http/problems/problem-definitions';
import type { Principal } from '../http/requests/request-record';

/**
 * Only algorithms with a private and a public key (D76). With a shared secret (HS256 …), every service that can verify
 * a token could also sign one.
 */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** The accepted values of `typ`, in lower case: none, that of JWT (RFC 7519) and those of access tokens (RFC 9068). */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const CLOCK_SKEW_S = 30;

/** Options of the key set of `jose`, in milliseconds. */
const KEY_OPTIONS = {
  timeoutDuration: 2000,
  /**
   * The least time between two fetches of the keys for tokens with an unknown key id (`kid`). Anybody can send such a
   * token, and without a pause each one would cause a fetch.
   */
  cooldownDuration: 10_000,
  /** Older keys are fetched again before they are used: a key that the issuer has removed is dropped within a day. */
  cacheMaxAge: 86_400_000,
};
/** The least time between a failed fetch of the keys and the next one; clients get it as `Retry-After`. */
const FAILURE_PAUSE_MS = 1000;
export const KEYS_UNAVAILABLE = { ...PROBLEMS.keysUnavailable, retryAfterMs: FAILURE_PAUSE_MS };

/**
 * A token without `kid` is tried with every fitting key: the number of keys bounds the time that one token can take.
 */
const MAX_KEYS = 100;
/** The largest key set that is read, in bytes; 100 RSA keys with their certificates are smaller. */
const MAX_KEY_SET_BYTES = 1_048_576;

const MAX_VERIFIED_MS = 600_000;
/**
 * Memory of all remembered tokens, in bytes: about 10,000 ordinary ones. A limit of their number would not bound it,
 * because the claims of one token may fill the headers of a request.
 */
const MAX_VERIFIED_BYTES = 16_777_216;
/** Memory of an entry beside its claims: its key, which is a digest, and its places in the lists of lru-cache. */
const VERIFIED_ENTRY_BYTES = 400;

/**
 * The result of an authentication: the client, the problem that is the response instead, or both (a valid token that
 * lacks a required scope).
 */
export interface Authentication {
  readonly user?: Principal;
  readonly problem?: ProblemDefinition;
  /** Why a credential is refused, in fixed words for the log (D81). */
  readonly cause?: string;
}

/** Why a token is refused, by the code of the error of `jose`, or by the claim that the error names. */
const CAUSES: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  nbf: 'not yet valid',
  exp: 'without expiry',
  iss: 'issuer',
  aud: 'audience',
};

class KeysUnavailableError extends Error {}

/** Verifies bearer tokens (JWT) by the keys of their issuer (JWKS); remembers each token for ten minutes at most. */
export class TokenVerifier {
  private readonly logger = new Logger(TokenVerifier.name);
  private readonly keys: RemoteJWKSet;
  // The claims of verified tokens, by the digest of the token, as JSON: the memory of a text is known, that of objects
  // may be twenty times as much. `perf: Date` makes the cache use the wall clock, by which tokens expire. `performance`,
  // its default, does not follow where the wall clock is set.
  private readonly verified = new LRUCache<string, string>({
    maxSize: MAX_VERIFIED_BYTES,
    sizeCalculation: (claims) => VERIFIED_ENTRY_BYTES + 2 * claims.length,
    perf: Date,
  });
  private readonly fetchDirectly = directFetch();
  private pausedUntil = -Infinity;

  constructor(
    private readonly jose: typeof import('jose'),
    private readonly settings: NonNullable<Settings['access']['token']>,
  ) {
    const fetchKeys = this.fetchKeys.bind(this);
    this.keys = jose.createRemoteJWKSet(settings.jwksUrl, { ...KEY_OPTIONS, [jose.customFetch]: fetchKeys });
  }

  /** Authenticates the client of a token. */
  async verify(token: string): Promise<Authentication> {
    const digest = hash('sha256', token, 'base64url');
    const known = this.verified.get(digest);
    if (known !== undefined) return this.authenticationOf(JSON.parse(known) as JWTPayload);
    try {
      const claims = this.jose.decodeJwt(token);
      // These two are refused first, so that they cause no fetch of keys (D76).
      if (claims.iss !== this.settings.issuer) return refusalFor('issuer');
      if (claims.exp !== undefined && endOf(claims) <= Date.now()) return refusalFor('expired');
      const { payload, protectedHeader } = await this.verifySignature(token);
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) return refusalFor('type');
      // lru-cache returns an entry even at the age of its `ttl`; one millisecond less, so that none outlives its token.
      const ttl = Math.min(MAX_VERIFIED_MS, endOf(payload) - Date.now()) - 1;
      if (ttl > 0) this.verified.set(digest, JSON.stringify(payload), { ttl });
      return this.authenticationOf(payload);
    } catch (error) {
      if (error instanceof KeysUnavailableError) return { problem: KEYS_UNAVAILABLE, cause: 'keys unavailable' };
      const { code = '', claim = '' } = error as { code?: string; claim?: string };
      return refusalFor(CAUSES[code] ?? CAUSES[claim] ?? 'malformed');
    }
  }

  /**
   * Verifies the signature of a token. Where no key fits a token without a key id (`kid`), the keys are fetched once
   * more, because the issuer may have replaced them; `jose` does so only for a key id that it does not know. During the
   * cool-down, another request may have fetched them, so that the token is tried again in any case.
   */
  private async verifySignature(token: string): Promise<JWTVerifyResult> {
    const { decodeProtectedHeader, errors } = this.jose;
    try {
      return await this.verifyByEachKey(token);
    } catch (error) {
      const fitsNoKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (!fitsNoKey || decodeProtectedHeader(token).kid !== undefined) throw error;
      if (!this.keys.coolingDown) await this.keys.reload();
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
        try {
          return await jwtVerify(token, key, options);
        } catch (failure) {
          // A claim is looked at when the signature has been verified: no other key would say more (D81).
          if ((failure as { claim?: string }).claim !== undefined) throw failure;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  /**
   * Fetches the keys for `jose`, and after a failure not again for a second. The cool-down of `jose` counts from the
   * last success: while the issuer is unavailable, it would send a request for each token.
   */
  private async fetchKeys(url: string, options: RequestInit): Promise<Response> {
    if (performance.now() < this.pausedUntil) throw new KeysUnavailableError();
    try {
      const response = await this.fetchDirectly(url, options);
      if (!response.ok) throw new LoggedError(`status ${response.status}`);
      const text = await boundedText(response, MAX_KEY_SET_BYTES);
      if (text === undefined) throw new LoggedError(`larger than ${MAX_KEY_SET_BYTES} bytes`);
      const set = JSON.parse(text) as JSONWebKeySet;
      this.jose.createLocalJWKSet(set);
      const { length } = set.keys;
      // A key set without keys is a failure of the issuer (503). Without this check, every token would be refused as
      // invalid (401).
      if (length === 0 || length > MAX_KEYS) throw new LoggedError(`${length} keys`);
      return Response.json(set);
    } catch (error) {
      // Another error is logged without its message, which may contain the address of the key server.
      const why = error instanceof LoggedError ? error.message : titleOf((error as Error).cause ?? error);
      this.logger.warn(`The keys of the token issuer cannot be fetched: ${why}`);
      this.pausedUntil = performance.now() + FAILURE_PAUSE_MS;
      throw new KeysUnavailableError();
    }
  }

  private authenticationOf(claims: JWTPayload): Authentication {
    const { issuer, scopes: required } = this.settings;
    // A token of a client that acts for itself, not for a user, may have the id of the client instead of a subject.
    const subject = [claims.sub, claims.client_id, claims.azp].find((name) => typeof name === 'string');
    const id = subject === undefined ? undefined : `subject ${issuer} ${subject}`;
    // Some issuers send `scp`, a list or a text, instead of the `scope` of RFC 9068. A daemon's token of Entra has
    // neither: its permissions are `roles`.
    const isDaemon = claims.scope === undefined && claims.scp === undefined;
    const values = (isDaemon ? [claims.roles] : [claims.scope, claims.scp]).flat();
    const scopes = values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
    const user = { id, name: subject, subject, scopes, claims };
    const isPermitted = required.every((scope) => scopes.includes(scope));
    return isPermitted ? { user } : { user, problem: PROBLEMS.insufficientScope, cause: 'scope' };
  }
}

function refusalFor(cause: string): Authentication {
  return { problem: cause === 'expired' ? PROBLEMS.expiredToken : PROBLEMS.invalidToken, cause };
}

/** When a token expires, with the clock skew added, in milliseconds since 1970. */
function endOf({ exp = 0 }: JWTPayload): number {
  return (exp + CLOCK_SKEW_S) * 1000;
}
