import * as oauth from 'oauth4webapi';
import { Agent, errors, fetch } from 'undici';
import type { OAuthSettings } from '../../../config/settings';
import { ReloadedSecret } from '../../../config/secret-file';
import { isVisibleAscii } from '../../../common/text';
import { FailureLog } from '../../../observability/logging/failure-log';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { UpstreamCredentials, type CredentialHeaders } from './upstream-credentials';

/** Where the endpoint gives none. */
const ASSUMED_LIFE_S = 300;
/** A token is replaced this long before it expires, at most a tenth of its life. */
const MARGIN_MS = 30_000;
/** Rejected tokens are replaced at most this often. */
const REPLACEMENT_INTERVAL_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/** Access tokens of OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export class OAuthCredentials extends UpstreamCredentials {
  private readonly failures = new FailureLog(OAuthCredentials.name);
  private readonly clientSecret: ReloadedSecret;
  private readonly dispatcher: Agent;
  private token: { readonly headers: CredentialHeaders; readonly endsAt: number } | undefined;
  private fetching: Promise<CredentialHeaders> | undefined;
  private replacedAt = -Infinity;

  /** @param ca trusted authorities; `undefined`: those of Node */
  constructor(
    private readonly settings: OAuthSettings,
    private readonly timeoutMs: number,
    ca?: string[],
  ) {
    super();
    this.clientSecret = new ReloadedSecret(settings.clientSecret, 'the OAuth client secret');
    this.dispatcher = new Agent({ connect: { ca }, pipelining: 0, maxResponseSize: MAX_RESPONSE_BYTES });
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
    try {
      const issued = await this.request();
      const lifeMs = (issued.expires_in ?? ASSUMED_LIFE_S) * 1000;
      const headers = { Authorization: `Bearer ${issued.access_token}` };
      this.token = { headers, endsAt: requestedAt + lifeMs - Math.min(lifeMs / 10, MARGIN_MS) };
      this.failures.recovered('The token endpoint issues access tokens again');
      return headers;
    } catch (error) {
      const { message } = error as Error;
      this.failures.failed(`The token endpoint issues no access token: ${message}`);
      throw error;
    }
  }

  /** Messages of failures contain no value of the response. */
  private async request(): Promise<oauth.TokenEndpointResponse> {
    const { tokenUrl, clientId, clientAuth, scope, audience } = this.settings;
    const issuer = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
    const client = { client_id: clientId };
    const authenticate = (clientAuth === 'post' ? oauth.ClientSecretPost : basic)(this.clientSecret.current);
    const parameters = { ...(scope !== '' && { scope }), ...(audience !== '' && { audience }) };
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const response = await oauth.clientCredentialsGrantRequest(issuer, client, authenticate, parameters, {
        signal,
        [oauth.customFetch]: (url: string, init: object) => fetch(url, { ...init, dispatcher: this.dispatcher }),
        // Settings allow it on loopback only.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        [oauth.allowInsecureRequests]: tokenUrl.protocol === 'http:',
      });
      if (response.status !== 200) throw await failedStatus(response);
      const issued = await oauth.processClientCredentialsResponse(issuer, client, response);
      if (issued.token_type !== 'bearer' || !isVisibleAscii(issued.access_token)) throw new Error('unusable');
      return issued;
    } catch (error) {
      throw failureOf(error as Error, signal);
    }
  }
}

/** `ClientSecretBasic` encodes `-._` too, and some token endpoints do not decode. */
function basic(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = new URLSearchParams([[clientId, clientSecret]]).toString().replace('=', ':');
    headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/** Other texts than codes (RFC 6749, section 5.2) may hold a value of the request. */
async function failedStatus(response: Response): Promise<UpstreamFailure> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const { error } = (body ?? {}) as { error?: unknown };
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  return tokenFailure(status < 400 ? 'bad-reply' : 'upstream-error', `status ${status}${code}`);
}

function failureOf(error: Error, signal: AbortSignal): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (signal.aborted) return tokenFailure('upstream-timeout', 'no response in time');
  const { cause } = error;
  const isNoHttp = cause instanceof errors.HTTPParserError || cause instanceof errors.HeadersOverflowError;
  if (error.message !== 'fetch failed' || isNoHttp) return tokenFailure('bad-reply', 'no bearer token in the response');
  const { code, name } = cause as NodeJS.ErrnoException;
  return tokenFailure('upstream-unreachable', code ?? name);
}

function tokenFailure(reason: UpstreamFailure['reason'], message: string): UpstreamFailure {
  return new UpstreamFailure(reason, message, { countsAgainstCircuit: true });
}
