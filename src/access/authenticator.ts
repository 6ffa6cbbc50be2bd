import { Logger } from '@nestjs/common';
import { isRestricted, type Settings } from '../config/settings';
import type { Principal } from '../http/requests/request-state';
import type { ProblemDefinition } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { TokenVerifier, type TokenDecision } from './token-verifier';
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const REALM = 'realm="shipping-query-service"';
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** A request that must not pass. */
export interface Refusal {
  readonly authenticated: false;
  readonly problem: ProblemDefinition;
  /** Value of `WWW-Authenticate`. */
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  /** The client, where its token is valid but lacks a scope. */
  readonly principal?: Principal;
}

/** The outcome of authentication. */
export type Decision = { readonly authenticated: true; readonly principal: Principal } | Refusal;

/** Authenticates requests by a bearer token or an API key. */
export class Authenticator {
  private constructor(
    private readonly settings: Settings['access'],
    private readonly verifier: TokenVerifier | undefined,
  ) {}

  static async create({ access }: Settings): Promise<Authenticator> {
    if (!isRestricted(access)) throw new Error('Authentication is off');
    const { token } = access;
    const logger = new Logger(Authenticator.name);
    return new Authenticator(access, token === undefined ? undefined : await TokenVerifier.create(token, logger));
  }

  /** Whether responses depend on `X-API-Key`. */
  get acceptsApiKeys(): boolean {
    return this.settings.apiKeys.length > 0;
  }

  /**
   * Throws nothing of its own, whatever the headers.
   *
   * @param beforeVerification refuses a token that was not verified before, by throwing
   */
  async authenticate(headers: IncomingHttpHeaders, beforeVerification?: () => Promise<void>): Promise<Decision> {
    const { apiKeys } = this.settings;
    const key = this.acceptsApiKeys ? apiKeyOf(headers) : '';
    const digest = key === '' ? undefined : acceptedDigest(key, apiKeys);
    if (digest !== undefined) return { authenticated: true, principal: keyPrincipal(digest) };
    const token = this.verifier === undefined ? undefined : bearerOf(headers.authorization);
    if (this.verifier !== undefined && token !== undefined) {
      return this.authorize(await this.verifier.verify(token, beforeVerification));
    }
    return this.refuse(key === '' ? PROBLEMS.authenticationRequired : PROBLEMS.invalidApiKey);
  }

  private authorize(decision: TokenDecision): Decision {
    if (decision.kind === 'unknown') {
      return { authenticated: false, problem: PROBLEMS.keysUnavailable, retryAfterMs: decision.retryAfterMs };
    }
    if (decision.kind === 'invalid') {
      return decision.expired
        ? this.refuse(PROBLEMS.expiredToken, 'The token has expired')
        : this.refuse(PROBLEMS.invalidToken, 'The token is not accepted');
    }
    const { principal } = decision;
    const required = this.settings.token?.scopes ?? [];
    if (required.every((scope) => principal.scopes.includes(scope))) return { authenticated: true, principal };
    const challenge = `Bearer ${REALM}, error="insufficient_scope", scope="${required.join(' ')}"`;
    return { authenticated: false, problem: PROBLEMS.insufficientScope, challenge, principal };
  }

  /** @param tokenError why the token is not accepted, for the challenge */
  private refuse(problem: ProblemDefinition, tokenError?: string): Refusal {
    const error = tokenError === undefined ? '' : `, error="invalid_token", error_description="${tokenError}"`;
    const challenges = [];
    if (this.verifier !== undefined) challenges.push(`Bearer ${REALM}${error}`);
    if (this.acceptsApiKeys) challenges.push(`ApiKey ${REALM}`);
    return { authenticated: false, problem, challenge: challenges.join(', ') };
  }
}

/** The token of `Authorization: Bearer …` (RFC 6750); empty where the text cannot be a token. */
function bearerOf(authorization = ''): string | undefined {
  if (!/^bearer( |$)/i.test(authorization)) return undefined;
  return BEARER.exec(authorization)?.[1] ?? '';
}

function keyPrincipal(digest: string): Principal {
  return { id: `key ${digest}`, subject: undefined, scopes: [], claims: {} };
}

/** The API key of a request; empty where it has none. */
function apiKeyOf({ 'x-api-key': key }: IncomingHttpHeaders): string {
  return typeof key === 'string' ? key : '';
}

/**
 * Finds a key by its SHA-256 digest, in constant time.
 *
 * @param key the value of the header, one character a byte
 * @returns the digest in hexadecimal, `undefined` for an unknown key
 */
function acceptedDigest(key: string, digests: readonly Buffer[]): string | undefined {
  const digest = hash('sha256', Buffer.from(key, 'latin1'), 'buffer');
  let matches = 0;
  for (const accepted of digests) matches |= Number(timingSafeEqual(digest, accepted));
  return matches === 1 ? digest.toString('hex') : undefined;
}
