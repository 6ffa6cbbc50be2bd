import type { LoggerService } from '@nestjs/common';
import type { FlattenedJWSInput, JWTPayload, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { Settings } from '../config/settings';
import type { Principal } from '../http/requests/request-state';
import { IssuerKeys, KeysUnavailableError } from './issuer-keys';

type Jose = typeof import('jose');
type TokenSettings = NonNullable<Settings['access']['token']>;

/** Signature algorithms with public keys only: with a shared secret, clients could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Tolerated difference between the clocks of issuer and service. */
const CLOCK_SKEW_MS = 30_000;

/** How long fetched keys are trusted while they cannot be refreshed. */
const KEYS_MAX_AGE_MS = 86_400_000;

/** Longer tokens are refused without verification. */
const MAX_TOKEN_LENGTH = 8192;

/** Verified tokens that are kept. */
const MAX_VERIFIED_TOKENS = 10_000;

/** Accepted types of tokens: none, JWT, or access token (RFC 9068). */
const ACCEPTED_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/** The outcome of verifying a token. */
export type TokenDecision =
  | { readonly kind: 'valid'; readonly principal: Principal }
  | { readonly kind: 'invalid'; readonly expired: boolean }
  /** The keys of the issuer are unavailable. */
  | { readonly kind: 'unknown'; readonly retryAfterMs: number };

type ValidToken = Extract<TokenDecision, { kind: 'valid' }>;

/**
 * Verifies bearer tokens (JWT, RFC 7519) with the keys of their issuer. A signature takes longer than the rest of a
 * request, so that verified tokens are kept by their digest until they expire or the keys change.
 */
export class TokenVerifier {
  private readonly keys: IssuerKeys;
  private readonly options: JWTVerifyOptions;
  private readonly verified = new LRUCache<string, ValidToken>({
    max: MAX_VERIFIED_TOKENS,
    // Tokens expire by the wall clock.
    perf: Date,
  });
  private verifiedWith: unknown;

  private constructor(
    private readonly jose: Jose,
    private readonly settings: TokenSettings,
    logger: Pick<LoggerService, 'log' | 'warn'>,
  ) {
    const isPlausible = this.isPlausible.bind(this);
    this.keys = new IssuerKeys({ jose, url: settings.jwksUrl, maxAgeMs: KEYS_MAX_AGE_MS, logger, isPlausible });
    this.options = {
      algorithms: ALGORITHMS,
      issuer: settings.issuer,
      audience: settings.audience,
      clockTolerance: CLOCK_SKEW_MS / 1000,
      requiredClaims: ['exp'],
    };
  }

  /** Fetches the keys in the background: the service starts without them. */
  static async create(settings: TokenSettings, logger: Pick<LoggerService, 'log' | 'warn'>): Promise<TokenVerifier> {
    const verifier = new TokenVerifier(await import('jose'), settings, logger);
    void verifier.keys.fetchUnlessCooling();
    return verifier;
  }

  /**
   * Throws nothing of its own, whatever the token.
   *
   * @param beforeVerification refuses a token that was not verified before, by throwing
   */
  async verify(token: string, beforeVerification?: () => Promise<void>): Promise<TokenDecision> {
    if (token.length > MAX_TOKEN_LENGTH) return { kind: 'invalid', expired: false };
    const digest = hash('sha256', token, 'base64url');
    const known = this.recall(digest);
    if (known !== undefined) return known;
    await beforeVerification?.();
    try {
      const { generation } = this.keys;
      const { payload, protectedHeader } = await this.verifySignature(token);
      if (!ACCEPTED_TYPES.includes(protectedHeader.typ?.toLowerCase())) return { kind: 'invalid', expired: false };
      const valid: ValidToken = { kind: 'valid', principal: this.principalOf(payload) };
      // Where the keys changed meanwhile, it is unknown which keys verified the token.
      if (this.keys.generation === generation) this.keep(digest, valid, payload.exp ?? 0);
      return valid;
    } catch (error) {
      if (error instanceof KeysUnavailableError) return { kind: 'unknown', retryAfterMs: error.retryAfterMs };
      return { kind: 'invalid', expired: error instanceof this.jose.errors.JWTExpired };
    }
  }

  private recall(digest: string): ValidToken | undefined {
    this.keys.refreshInTime();
    if (this.verifiedWith !== this.keys.generation) {
      this.verifiedWith = this.keys.generation;
      this.verified.clear();
    }
    return this.verified.get(digest);
  }

  private keep(digest: string, valid: ValidToken, exp: number): void {
    const ttl = exp * 1000 + CLOCK_SKEW_MS - Date.now();
    if (ttl > 0) this.verified.set(digest, valid, { ttl });
  }

  /** Looks for new keys once where none of the known ones made the signature: a token without key id names no unknown key. */
  private async verifySignature(token: string): Promise<JWTVerifyResult> {
    const { errors } = this.jose;
    const { generation } = this.keys;
    try {
      return await this.verifyWithKnownKeys(token);
    } catch (error) {
      const isOfNoKey =
        error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSMultipleMatchingKeys;
      if (!isOfNoKey || !this.isPlausible({ payload: token.split('.')[1] ?? '', signature: '' })) throw error;
      await this.keys.lookForNewKeys(generation);
      if (this.keys.generation === generation) throw error;
      return await this.verifyWithKnownKeys(token);
    }
  }

  /** Tries each fitting key where the token names none (D47). */
  private async verifyWithKnownKeys(token: string): Promise<JWTVerifyResult> {
    const { errors, jwtVerify } = this.jose;
    try {
      return await jwtVerify(token, (header, jws) => this.keys.find(header, jws), this.options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) {
        const result = await jwtVerify(token, key, this.options).catch((reason: unknown) => {
          if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
        });
        if (result !== undefined) return result;
      }
      throw error;
    }
  }

  private principalOf(payload: JWTPayload): Principal {
    const subject = subjectOf(payload);
    const id = subject === undefined ? undefined : `subject ${this.settings.issuer} ${subject}`;
    return { id, subject, scopes: scopesOf(payload), claims: payload };
  }

  /** Whether the unverified payload names the issuer and has not expired. */
  private isPlausible({ payload }: FlattenedJWSInput): boolean {
    try {
      const text = Buffer.from(String(payload), 'base64url').toString('utf8');
      const { iss, exp } = JSON.parse(text) as Partial<Record<string, unknown>>;
      const { issuer } = this.settings;
      return iss === issuer && typeof exp === 'number' && exp * 1000 > Date.now() - CLOCK_SKEW_MS;
    } catch {
      return false;
    }
  }
}

/** The client of a token; clients that act for themselves have an id instead of a subject. */
function subjectOf({ sub, client_id: clientId, azp }: JWTPayload): string | undefined {
  return [sub, clientId, azp].find((name) => typeof name === 'string');
}

/** `scope` as in RFC 9068, or `scp` as other issuers have it, a list or a text. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
}
