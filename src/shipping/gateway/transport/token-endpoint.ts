import type { ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import { Client, errors } from 'undici';
import type { OAuthSettings } from '../../../config/settings';
import { retryAfterMs } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { tokenFailure, type IssuedToken } from '../credentials/access-token';

type TokenRequest = CustomFetchOptions<'POST', URLSearchParams>;

const MAX_BYTES = 65_536;

/** Options of {@link TokenEndpoint}. */
export interface TokenEndpointOptions {
  readonly oauth: typeof import('oauth4webapi');
  readonly settings: OAuthSettings;
  /** The current client secret. */
  readonly clientSecret: () => string;
  /** Bounds a fetch up to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Trusted authorities; `undefined`: those of Node. */
  readonly authorities: string[] | undefined;
}

/** The token endpoint of an OAuth 2.0 issuer. Each fetch has a connection of its own, without a client certificate. */
export class TokenEndpoint {
  constructor(private readonly options: TokenEndpointOptions) {}

  /**
   * Fetches a token for the client credentials (RFC 6749, section 4.4).
   *
   * @throws {UpstreamFailure} whose message contains no value of the response
   */
  async fetchToken(): Promise<IssuedToken> {
    const { oauth, settings, clientSecret } = this.options;
    const { tokenUrl, clientId, clientAuth, scope, audience } = settings;
    const issuer = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
    const client = { client_id: clientId };
    const parameters = { ...(scope !== '' && { scope }), ...(audience !== '' && { audience }) };
    const authentication = (clientAuth === 'post' ? oauth.ClientSecretPost : basic)(clientSecret());
    const response = await oauth.clientCredentialsGrantRequest(issuer, client, authentication, parameters, {
      [oauth.customFetch]: this.send,
      // Settings allow it on loopback only.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      [oauth.allowInsecureRequests]: tokenUrl.protocol === 'http:',
    });
    try {
      const issued = await oauth.processClientCredentialsResponse(issuer, client, response);
      if (issued.token_type !== 'bearer') throw unusable();
      return { accessToken: issued.access_token, expiresIn: issued.expires_in };
    } catch {
      throw unusable();
    }
  }

  private readonly send = async (url: string, request: TokenRequest): Promise<Response> => {
    const { origin, pathname, search } = new URL(url);
    const { timeoutMs, authorities } = this.options;
    const client = new Client(origin, {
      connect: { ca: authorities },
      // The signal bounds all of it.
      ...{ connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 },
      maxResponseSize: MAX_BYTES,
    });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await exchange(client, pathname + search, request, signal);
    } catch (error) {
      throw error instanceof UpstreamFailure ? error : failureOf(error, signal);
    } finally {
      await client.destroy();
    }
  };
}

/** RFC 6749, section 2.3.1. `ClientSecretBasic` encodes `-._`, too, and some token endpoints compare without decoding. */
function basic(clientSecret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = new URLSearchParams([[clientId, clientSecret]]).toString().replace('=', ':');
    headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

async function exchange(client: Client, path: string, request: TokenRequest, signal: AbortSignal): Promise<Response> {
  const { method, headers, body } = request;
  const response = await client.request({ method, path, headers, body: body.toString(), signal });
  const { statusCode: status } = response;
  if (status >= 400) {
    const retryAfter = retryAfterMs(response.headers['retry-after']);
    throw tokenFailure('upstream-error', `status ${status}${await errorCodeIn(response.body)}`, retryAfter);
  }
  if (status !== 200) throw tokenFailure('bad-reply', `status ${status}`);
  const text = await response.body.text().catch((error: unknown) => {
    throw signal.aborted ? error : tokenFailure('bad-reply', 'a body that broke off or is too large');
  });
  return new Response(text, { headers: { 'Content-Type': String(response.headers['content-type']) } });
}

/** `error` of RFC 6749, section 5.2, such as ` (invalid_client)`. Texts of another form may hold a value of the request. */
async function errorCodeIn(body: Pick<Response, 'json'>): Promise<string> {
  try {
    const { error } = (await body.json()) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  } catch {
    return '';
  }
}

function failureOf(error: unknown, signal: AbortSignal): UpstreamFailure {
  if (signal.aborted) return tokenFailure('upstream-timeout', 'no response in time');
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return unusable();
  const { code, name } = error as NodeJS.ErrnoException;
  return tokenFailure('upstream-unreachable', code ?? name);
}

function unusable(): UpstreamFailure {
  return tokenFailure('bad-reply', 'no bearer token in the response');
}
