import * as oauth from 'oauth4webapi';
import { Agent, errors, fetch } from 'undici';
import type { OAuthSettings } from '../../../config/settings';
import { ReloadedSecret } from '../../../config/secret-file';
import { USER_AGENT } from '../../../common/version';
import { FailureLog } from '../../../observability/logging/failure-log';
import { retryAfterMs } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { readTokenResponse, type IssuedToken } from './token-response';
import { UpstreamCredentials, type CredentialHeaders } from './upstream-credentials';

/** A token is replaced this long before it expires, at most a tenth of its life. */
const MARGIN_MS = 30_000;
/** The least time between two replacements of rejected tokens. */
const REPLACEMENT_INTERVAL_MS = 10_000;
/** The longest pause that is kept, however long the endpoint asks for. */
const MAX_PAUSE_MS = 60_000;
const PREFIX = 'The token endpoint issues no access token: ';

/** Access tokens of OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export class OAuthCredentials extends UpstreamCredentials {
  private readonly failures = new FailureLog(OAuthCredentials.name);
  private readonly clientSecret: ReloadedSecret;
  private readonly dispatcher: Agent;
  private token: { readonly headers: CredentialHeaders; readonly endsAt: number } | undefined;
  private fetching: Promise<CredentialHeaders> | undefined;
  private replacedAt = -Infinity;
  private pausedUntil = -Infinity;

  /** @param ca the trusted authorities; where it is `undefined`, those of Node */
  constructor(
    private readonly settings: OAuthSettings,
    private readonly timeoutMs: number,
    ca?: string[],
  ) {
    super();
    this.clientSecret = new ReloadedSecret(settings.clientSecret, 'the OAuth client secret');
    this.dispatcher = new Agent({ connect: { ca }, pipelining: 0 });
  }

  override headers(): CredentialHeaders | Promise<CredentialHeaders> {
    if (this.token !== undefined && performance.now() < this.token.endsAt) return this.token.headers;
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  override replace(rejected: CredentialHeaders): CredentialHeaders | Promise<CredentialHeaders> | undefined {
    if (this.token?.headers === rejected) {
      const now = performance.now();
      if (now - this.replacedAt < REPLACEMENT_INTERVAL_MS) return undefined;
      this.replacedAt = now;
      this.token = undefined;
    }
    return this.headers();
  }

  private async fetch(): Promise<CredentialHeaders> {
    const requestedAt = performance.now();
    if (requestedAt < this.pausedUntil) throw tokenFailure('upstream-error', 'a pause that it asked for');
    try {
      const { token, lifeMs } = await this.request();
      const headers = { Authorization: `Bearer ${token}` };
      this.token = { headers, endsAt: requestedAt + lifeMs - Math.min(lifeMs / 10, MARGIN_MS) };
      this.failures.recovered('The token endpoint issues access tokens again');
      return headers;
    } catch (error) {
      this.failures.failed((error as Error).message);
      throw error;
    }
  }

  /** @throws {UpstreamFailure} without any value of the response */
  private async request(): Promise<IssuedToken> {
    const { tokenUrl, clientId, clientAuth, scope, audience } = this.settings;
    const issuer = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
    const authenticate = (clientAuth === 'post' ? oauth.ClientSecretPost : basic)(this.clientSecret.current);
    const parameters = { ...(scope !== '' && { scope }), ...(audience !== '' && { audience }) };
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const options = {
        signal,
        headers: { 'User-Agent': USER_AGENT },
        [oauth.customFetch]: (url: string, init: object) => fetch(url, { ...init, dispatcher: this.dispatcher }),
        // The settings allow `http` on loopback only.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        [oauth.allowInsecureRequests]: tokenUrl.protocol === 'http:',
      };
      const client = { client_id: clientId };
      const response = await oauth.clientCredentialsGrantRequest(issuer, client, authenticate, parameters, options);
      this.keepPause(response);
      return await readTokenResponse(response);
    } catch (error) {
      throw failureOf(error as Error, signal);
    }
  }

  private keepPause({ status, headers }: Response): void {
    if (status !== 429 && status !== 503) return;
    const pauseMs = retryAfterMs(headers.get('Retry-After')) ?? 0;
    this.pausedUntil = performance.now() + Math.min(pauseMs, MAX_PAUSE_MS);
  }
}

/** The library's own `ClientSecretBasic` encodes `-._`, too, and some token endpoints do not decode them. */
function basic(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = new URLSearchParams([[clientId, clientSecret]]).toString().replace('=', ':');
    headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

function failureOf(error: Error, signal: AbortSignal): UpstreamFailure {
  if (error instanceof UpstreamFailure) return tokenFailure(error.reason, error.message);
  if (signal.aborted) return tokenFailure('upstream-timeout', 'no response in time');
  const { code, name } = (error.cause ?? error) as NodeJS.ErrnoException;
  const isNoHttp = error.cause instanceof errors.HTTPParserError || error.cause instanceof errors.HeadersOverflowError;
  if (isNoHttp) return tokenFailure('bad-reply', 'no valid HTTP');
  // The library of HTTP has this message where there is no response at all, and others where a body breaks off.
  if (error.message === 'fetch failed') return tokenFailure('upstream-unreachable', code ?? name);
  return tokenFailure('bad-reply', `body incomplete: ${code ?? name}`);
}

function tokenFailure(reason: UpstreamFailure['reason'], cause: string): UpstreamFailure {
  return new UpstreamFailure(reason, PREFIX + cause, { countsAgainstCircuit: true });
}
