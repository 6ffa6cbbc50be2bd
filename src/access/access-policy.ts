import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { isRestricted, type AccessSettings } from '../config/access-settings';
import type { ProblemKind } from '../http/problem';
import { acceptedDigest } from './api-keys';
import { TokenVerifier, type TokenVerdict } from './token-verifier';

const REALM = 'realm="shipping-query-service"';
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Whether a caller may pass. */
export type Verdict =
  /** `caller` tells callers apart; `undefined` where the token names nobody. */
  | { readonly admitted: true; readonly caller: string | undefined }
  | {
      readonly admitted: false;
      readonly problem: ProblemKind;
      /** Value of `WWW-Authenticate`. */
      readonly challenge?: string;
      readonly retryAfterMs?: number;
      /** Whom it was refused, where that is known. */
      readonly caller?: string | undefined;
    };

/** Decides who may call the operations: whoever has a good token or a good key, one of the two. */
export class AccessPolicy {
  private constructor(
    private readonly settings: AccessSettings,
    private readonly verifier: TokenVerifier | undefined,
  ) {}

  /** @returns `undefined` where everybody may call */
  static async create(
    settings: AccessSettings,
    logger: Pick<Logger, 'info' | 'warn'>,
  ): Promise<AccessPolicy | undefined> {
    if (!isRestricted(settings)) return undefined;
    const { token } = settings;
    return new AccessPolicy(settings, token === undefined ? undefined : await TokenVerifier.create(token, logger));
  }

  /** Whether answers depend on `X-API-Key`. (RFC 9110 wants `Authorization` left out of `Vary`.) */
  get readsApiKeys(): boolean {
    return this.settings.apiKeys.length > 0;
  }

  /** Never throws, whatever the headers. */
  async judge({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): Promise<Verdict> {
    const { apiKeys } = this.settings;
    const key = typeof apiKey === 'string' && apiKeys.length > 0 ? apiKey : '';
    const digest = key === '' ? undefined : acceptedDigest(key, apiKeys);
    if (digest !== undefined) return { admitted: true, caller: `key ${digest}` };
    const token = this.verifier === undefined ? undefined : bearerOf(authorization);
    if (this.verifier !== undefined && token !== undefined) return this.judgeToken(await this.verifier.verify(token));
    return this.refuse(key === '' ? MISSING : BAD_KEY);
  }

  private judgeToken(verdict: TokenVerdict): Verdict {
    if (verdict.kind === 'unknown') {
      return { admitted: false, problem: KEYS_UNAVAILABLE, retryAfterMs: verdict.retryAfterMs };
    }
    if (verdict.kind === 'bad') return this.refuse(verdict.expired ? EXPIRED : BAD_TOKEN);
    const { issuer = '', scopes = [] } = this.settings.token ?? {};
    const caller = verdict.subject === undefined ? undefined : `subject ${issuer} ${verdict.subject}`;
    if (scopes.every((scope) => verdict.scopes.includes(scope))) return { admitted: true, caller };
    const challenge = `Bearer ${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"`;
    return { admitted: false, problem: INSUFFICIENT_SCOPE, challenge, caller };
  }

  private refuse({ error, ...problem }: Refusal): Verdict {
    const challenges = [];
    if (this.verifier !== undefined) challenges.push(`Bearer ${REALM}${error === undefined ? '' : `, ${error}`}`);
    if (this.settings.apiKeys.length > 0) challenges.push(`ApiKey ${REALM}`);
    return { admitted: false, problem: { status: 401, ...problem }, challenge: challenges.join(', ') };
  }
}

/** The token of `Authorization: Bearer …` (RFC 6750), the empty one where it is none that a token could be. */
function bearerOf(authorization = ''): string | undefined {
  if (!/^bearer( |$)/i.test(authorization)) return undefined;
  return BEARER.exec(authorization)?.[1] ?? '';
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
  /** What the challenge says of a token that was given. */
  readonly error?: string;
}

const MISSING: Refusal = {
  code: 'authentication-required',
  detail: 'This operation wants a credential; see WWW-Authenticate.',
};
const BAD_KEY: Refusal = { code: 'invalid-credentials', detail: 'The API key is not accepted.' };
const BAD_TOKEN: Refusal = {
  code: 'invalid-credentials',
  detail: 'The bearer token is not accepted.',
  error: 'error="invalid_token", error_description="The token is not accepted"',
};
const EXPIRED: Refusal = {
  code: 'invalid-credentials',
  detail: 'The bearer token has expired.',
  error: 'error="invalid_token", error_description="The token has expired"',
};
const INSUFFICIENT_SCOPE: ProblemKind = {
  status: 403,
  code: 'insufficient-scope',
  detail: 'The bearer token lacks a scope that this operation wants.',
};
/** Nobody can tell whether a token is good. */
export const KEYS_UNAVAILABLE: ProblemKind = {
  status: 503,
  code: 'keys-unavailable',
  detail: 'The bearer token cannot be checked: the keys of its issuer are out of reach.',
};
