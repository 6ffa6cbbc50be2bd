import * as tls from 'node:tls';
import * as oauth from 'oauth4webapi';
import { boundedText, directFetch } from '../../../common/direct-fetch';
import { isVisibleAscii } from '../../../common/text';
import { USER_AGENT } from '../../../common/version';
import { readSecretFile, reloadedSecret } from '../../../config/secret-file';
import type { OAuthSettings, Settings } from '../../../config/settings';
import { ThrottledLog } from '../../../observability/logging/throttled-log';
import * as failures from '../../../resilience/upstream-failure';
import { MAX_PAUSE_MS, type StatusAndHeaders, UpstreamFailure } from '../../../resilience/upstream-failure';
import { isUpstreamObject, kindOf } from '../protocol/value-reader';
import { parseJson } from '../transport/response-text';
import { failureOfTransport } from '../transport/transport-failures';

/** The headers of a credential. `replace` compares the object, not its values, to see which credential was rejected. */
export type CredentialHeaders = Readonly<Record<string, string>>;
/** A credential, or the request that fetches one. */
type Credential = CredentialHeaders | Promise<CredentialHeaders>;

/** Gives the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /** @throws {UpstreamFailure} where the credential cannot be fetched */
  abstract headers(): Credential;

  /**
   * Another credential, with which a request is sent again where the response to it was a 401 or 403; `undefined` where
   * there is no other, or none is needed.
   */
  replace?(used: CredentialHeaders, response: StatusAndHeaders, operation: string): Credential | undefined;
}

/** @returns `undefined` where no credential is configured */
export function createCredentials({ external }: Settings): UpstreamCredentials | undefined {
  const { credentials, attemptTimeoutMs } = external;
  if (credentials.kind === 'none') return undefined;
  if (credentials.kind === 'oauth') {
    const { ca } = external.tls;
    // Beside the configured authority, Node's own are trusted: the token endpoint may have a public certificate.
    const authorities = ca === undefined ? undefined : [...trustedByNode(), ca];
    return new OAuthCredentials(credentials, attemptTimeoutMs, authorities);
  }
  const secret = reloadedSecret(credentials.secret, 'the credential for the external system');
  if (credentials.kind === 'token') {
    return { headers: () => ({ Authorization: `${credentials.scheme} ${secret()}` }) };
  }
  return { headers: () => ({ [credentials.header]: secret() }) };
}

/**
 * The authorities that Node trusts, those of `NODE_EXTRA_CA_CERTS` and `--use-system-ca` included: a connection with a
 * list of authorities trusts these alone. Node has the first function since 22.15; before, it cannot read the system's.
 */
function trustedByNode(): string[] {
  const { getCACertificates, rootCertificates } = tls as typeof tls & { getCACertificates?: () => string[] };
  if (getCACertificates !== undefined) return getCACertificates();
  const { text } = readSecretFile(process.env.NODE_EXTRA_CA_CERTS ?? '');
  return text === undefined ? [...rootCertificates] : [...rootCertificates, text];
}

/**
 * A token is replaced this long before it expires, at most a tenth of its life, so that it does not expire on its way.
 */
const MARGIN_MS = 30_000;
/**
 * The least time between two replacements of rejected tokens: a system that rejects every token must not cause a
 * request for a new one with each call.
 */
const REPLACEMENT_INTERVAL_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
/** The life of a token in seconds, where its issuer gives none. */
const ASSUMED_LIFE_S = 300;
/** The accepted types of tokens: some issuers give none, and some call it `BearerToken`. */
const BEARER = /^(?:bearer(?:token)?)?$/i;
/** The error codes of RFC 6749. Other texts may contain a value of the request, so that only these are logged. */
const ERROR_CODE = /"(invalid_(?:request|client|grant|scope)|unauthorized_client|unsupported_grant_type)"/;

/**
 * Fetches access tokens by OAuth 2.0 client credentials (RFC 6749, section 4.4), and uses each until shortly before its
 * end.
 */
export class OAuthCredentials {
  private readonly failures = new ThrottledLog(OAuthCredentials.name);
  private readonly clientSecret: () => string;
  private readonly fetchDirectly: ReturnType<typeof directFetch>;
  private token: { readonly headers: CredentialHeaders; readonly endsAt: number } | undefined;
  /**
   * Where the token replaced another one after a 403, the operations that were served with it. Only these replace it
   * for a further 403: a permission that is missing would fetch tokens for ever (D35).
   */
  private served: Set<string> | undefined;
  private fetching: Promise<CredentialHeaders> | undefined;
  private replacedAt = -Infinity;
  private pausedUntil = -Infinity;

  /** @param ca the trusted authorities; where it is `undefined`, those of Node */
  constructor(
    private readonly settings: OAuthSettings,
    private readonly timeoutMs: number,
    ca?: string[],
  ) {
    this.clientSecret = reloadedSecret(settings.clientSecret, 'the OAuth client secret');
    this.fetchDirectly = directFetch(ca);
  }

  headers(): Credential {
    const { token } = this;
    return token !== undefined && performance.now() < token.endsAt ? token.headers : this.fetchOnce();
  }

  /**
   * The rejected token stays in use until another one has come: while the token endpoint is slow or unavailable, the
   * external system may still accept it for other requests.
   */
  replace(used: CredentialHeaders, response: StatusAndHeaders, operation: string): Credential | undefined {
    const isForbidden = response.status === 403 && failures.failureOfStatus(response) === undefined;
    const isRejected = response.status === 401 || isForbidden;
    if (this.token?.headers !== used) return isRejected ? this.headers() : undefined;
    if (!isRejected) this.served?.add(operation);
    const lacksPermission = isForbidden && this.served?.has(operation) === false;
    const isTooEarly = performance.now() - this.replacedAt < REPLACEMENT_INTERVAL_MS;
    if (!isRejected || lacksPermission || isTooEarly) return undefined;
    return this.fetchOnce().then((headers) => {
      this.replacedAt = performance.now();
      this.served = isForbidden ? new Set() : undefined;
      return headers;
    });
  }

  private fetchOnce(): Promise<CredentialHeaders> {
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  /** @throws {UpstreamFailure} whose cause contains no value of the response */
  private async fetch(): Promise<CredentialHeaders> {
    const requestedAt = performance.now();
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      if (requestedAt < this.pausedUntil) throw new UpstreamFailure('upstream-error', 'a pause that it asked for');
      const response = await this.request(signal);
      this.keepPause(response);
      const { token, lifeMs } = await readTokenResponse(response);
      const headers = { Authorization: `Bearer ${token}` };
      this.served = undefined;
      this.token = { headers, endsAt: requestedAt + lifeMs - Math.min(lifeMs / 10, MARGIN_MS) };
      this.failures.recovered('The token endpoint issues access tokens again');
      return headers;
    } catch (error) {
      const failure = failureOf(error as Error, signal);
      this.failures.failed(failure.what);
      throw failure;
    }
  }

  private request(signal: AbortSignal): Promise<Response> {
    const { tokenUrl, clientId, clientAuth, scope, audience } = this.settings;
    const issuer = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
    const authenticate = (clientAuth === 'post' ? oauth.ClientSecretPost : basic)(this.clientSecret());
    const parameters = { ...(scope !== '' && { scope }), ...(audience !== '' && { audience }) };
    return oauth.clientCredentialsGrantRequest(issuer, { client_id: clientId }, authenticate, parameters, {
      signal,
      headers: { 'User-Agent': USER_AGENT },
      [oauth.customFetch]: this.fetchDirectly,
      // The library refuses `http` unless this is set; the settings allow `http` on loopback only.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      [oauth.allowInsecureRequests]: tokenUrl.protocol === 'http:',
    });
  }

  /**
   * Keeps the pause that the endpoint asks for (D35), whatever its body is: that may be the large page of a proxy, or
   * break off.
   */
  private keepPause({ status, headers }: Response): void {
    if (status !== 429 && status !== 503) return;
    const pauseMs = failures.retryAfterMs(headers.get('Retry-After'), headers.get('Date')) ?? 0;
    this.pausedUntil = performance.now() + Math.min(pauseMs, MAX_PAUSE_MS);
  }
}

/**
 * HTTP Basic authentication of the client. The library's own `ClientSecretBasic` encodes `-._`, too, and some token
 * endpoints do not decode these.
 */
function basic(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = new URLSearchParams([[clientId, clientSecret]]).toString().replace('=', ':');
    headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/**
 * Reads the response of a token endpoint as issuers really send it: members may be `null`, the type of the token may be
 * missing, and its life may be a text.
 *
 * @throws {UpstreamFailure} where there is no token. It says what was missing or wrong, without a value of the
 * response, which may be a secret
 */
async function readTokenResponse(response: Response): Promise<{ readonly token: string; readonly lifeMs: number }> {
  const { status, headers } = response;
  const text = await boundedText(response, MAX_RESPONSE_BYTES);
  if (text === undefined) throw failures.wrongShape(`larger than ${MAX_RESPONSE_BYTES} bytes`);
  const [, code] = ERROR_CODE.exec(text) ?? [];
  const detail = code === undefined ? '' : ` (${code})`;
  if (!failures.isSuccess(status)) {
    const { reason, refusedBy } = failures.failedStatus(status);
    throw new UpstreamFailure(reason, `status ${status}${detail}`, { status, refusedBy });
  }
  const body = parseJson(text, { 'content-type': headers.get('Content-Type') });
  if (!isUpstreamObject(body)) throw failures.wrongShape(`body: ${kindOf(body)}`);
  const token = body.access_token;
  if (typeof token !== 'string') throw failures.wrongShape(`access_token: ${kindOf(token)}${detail}`);
  if (!isVisibleAscii(token)) throw failures.wrongShape('access_token: a text that no header can carry');
  const type = body.token_type ?? '';
  if (typeof type !== 'string' || !BEARER.test(type)) throw failures.wrongShape('token_type: not bearer');
  // Some issuers send the number as a text, and some 0 or less for a life that they do not name.
  const seconds = Number(body.expires_in);
  const isKnown = seconds > 0 && seconds < Infinity;
  return { token, lifeMs: (isKnown ? seconds : ASSUMED_LIFE_S) * 1000 };
}

/**
 * Turns the error of a token request into a failure of the external system, because no request can be sent there
 * without a token. The reason, such as `upstream-timeout`, is that of the token request, and so is the status: after a
 * 4xx the cache serves nothing stale (D75). The failure counts for the circuit (D35).
 */
function failureOf(error: Error, signal: AbortSignal): UpstreamFailure {
  // undici's `fetch` has this message where no response arrived at all, and other messages where a body broke off.
  const arrived = error.message === 'fetch failed' ? 'nothing' : 'head';
  const known = failureOfTransport((error.cause ?? error) as Error, arrived);
  const { reason, what, status, refusedBy } = signal.aborted ? failures.timedOut('no response in time') : known;
  const sentence = `The token endpoint issues no access token: ${what}`;
  return new UpstreamFailure(reason, sentence, { countsAgainstCircuit: true, status, refusedBy });
}
