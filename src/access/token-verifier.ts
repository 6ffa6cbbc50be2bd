import type { FlattenedJWSInput, JWTPayload, JWTVerifyOptions } from 'jose';
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { TokenSettings } from '../config/access-settings';
import { IssuerKeys, KeysUnavailable } from './issuer-keys';

type Jose = typeof import('jose');

/** Longer ones are refused unread. */
const MAX_TOKEN_LENGTH = 8192;

/** Tokens that were found good; beyond these many, the first ones are checked again. */
const MAX_KNOWN_TOKENS = 10_000;

/** Kinds of token that may be used here: none named, a plain one, or an access token (RFC 9068). */
const ACCEPTED_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/** What is to be said of a token. */
export type TokenVerdict =
  | { readonly kind: 'good'; readonly subject: string | undefined; readonly scopes: readonly string[] }
  | { readonly kind: 'bad'; readonly expired: boolean }
  /** The keys that it could be checked with are not known. */
  | { readonly kind: 'unknown'; readonly retryAfterMs: number };

type GoodToken = Extract<TokenVerdict, { kind: 'good' }>;

interface KnownToken {
  readonly verdict: GoodToken;
  /** When it is good no more, on the clock of `Date.now()`. */
  readonly endsAt: number;
}

/**
 * Checks bearer tokens (JWT, RFC 7519) against the keys of their issuer. A signature costs more than the rest of a request,
 * so that a token found good is known by its digest until it expires or the keys change.
 */
export class TokenVerifier {
  private readonly keys: IssuerKeys;
  private readonly options: JWTVerifyOptions;
  private readonly known = new Map<string, KnownToken>();
  private knownWith: unknown;

  private constructor(
    private readonly jose: Jose,
    private readonly settings: TokenSettings,
    logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    const isPlausible = this.isPlausible.bind(this);
    this.keys = new IssuerKeys({ jose, url: settings.jwksUrl, logger, isPlausible });
    this.options = {
      algorithms: [...settings.algorithms],
      issuer: settings.issuer,
      audience: settings.audience,
      clockTolerance: settings.clockSkewMs / 1000,
      requiredClaims: ['exp'],
    };
  }

  /** Fetches the keys in the background: the service starts without them. */
  static async create(settings: TokenSettings, logger: Pick<Logger, 'info' | 'warn'>): Promise<TokenVerifier> {
    const verifier = new TokenVerifier(await import('jose'), settings, logger);
    void verifier.keys.fetchUnlessCooling();
    return verifier;
  }

  /** Never throws, whatever the token. */
  async verify(token: string): Promise<TokenVerdict> {
    if (token.length > MAX_TOKEN_LENGTH) return { kind: 'bad', expired: false };
    const digest = hash('sha256', token, 'base64url');
    const known = this.recall(digest);
    if (known !== undefined) return known;
    try {
      const { generation } = this.keys;
      const { payload, protectedHeader } = await this.jose.jwtVerify(token, this.findKey, this.options);
      if (!ACCEPTED_TYPES.includes(protectedHeader.typ?.toLowerCase())) return { kind: 'bad', expired: false };
      const verdict: GoodToken = { kind: 'good', subject: subjectOf(payload), scopes: scopesOf(payload) };
      // Where the keys changed in between, nobody can tell with which it was checked.
      if (this.keys.generation === generation) this.remember(digest, verdict, payload.exp ?? 0);
      return verdict;
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: 'unknown', retryAfterMs: error.retryAfterMs };
      return { kind: 'bad', expired: error instanceof this.jose.errors.JWTExpired };
    }
  }

  private recall(digest: string): GoodToken | undefined {
    this.keys.refreshInTime();
    if (this.knownWith !== this.keys.generation) {
      this.knownWith = this.keys.generation;
      this.known.clear();
    }
    const known = this.known.get(digest);
    if (known === undefined || known.endsAt > Date.now()) return known?.verdict;
    this.known.delete(digest);
    return undefined;
  }

  private remember(digest: string, verdict: GoodToken, exp: number): void {
    if (this.known.size >= MAX_KNOWN_TOKENS) {
      const [first = ''] = this.known.keys();
      this.known.delete(first);
    }
    this.known.set(digest, { verdict, endsAt: exp * 1000 + this.settings.clockSkewMs });
  }

  private readonly findKey = (...[header, token]: Parameters<IssuerKeys['find']>): ReturnType<IssuerKeys['find']> =>
    this.keys.find(header, token);

  /** Whether a token says itself that it is of the issuer and has not expired. */
  private isPlausible({ payload }: FlattenedJWSInput): boolean {
    try {
      const text = Buffer.from(String(payload), 'base64url').toString('utf8');
      const { iss, exp } = JSON.parse(text) as Partial<Record<string, unknown>>;
      const { issuer, clockSkewMs } = this.settings;
      return iss === issuer && typeof exp === 'number' && exp * 1000 > Date.now() - clockSkewMs;
    } catch {
      return false;
    }
  }
}

/** Whom a token stands for; clients that act for themselves have an id where people have a subject. */
function subjectOf({ sub, client_id: clientId, azp }: JWTPayload): string | undefined {
  return [sub, clientId, azp].find((name) => typeof name === 'string');
}

/** `scope` as RFC 9068 has it, or `scp` as others do, a list or a text. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
}
