import type { ServerOptions } from 'node:https';
import type { Behaviour, Headers } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { bytes, json, JSON_TYPE } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';

/** A request as the token endpoint received it. */
interface TokenRequest extends Pick<ReceivedCall, 'headers' | 'certificate'> {
  readonly parameters: Readonly<Record<string, string>>;
}

export const CLIENT_ID = 'shipping client';
export const CLIENT_SECRET = 'hidden-credential-of-client';

/** The token endpoint of an identity provider on loopback. Its tokens are `hidden-credential-1`, `…-2` and so on. */
export class TokenServer {
  requests: TokenRequest[] = [];
  /** `expires_in` of the tokens, in seconds; `undefined`: not sent. */
  expiresIn: number | undefined = 3600;
  /** Responds instead of a token, where it is set. */
  misbehaviour: Behaviour | undefined;

  private constructor(private readonly server: ScriptedUpstream) {
    server.respondWith((call) => this.respond(call));
  }

  static async start(tls?: ServerOptions): Promise<TokenServer> {
    return new TokenServer(await ScriptedUpstream.start({ tls }));
  }

  get url(): string {
    return `${this.server.url}/token?t=1`;
  }

  /** Settings of a service that gets its tokens from this server. */
  get env(): Record<string, string> {
    return {
      EXTERNAL_SHIPPING_OAUTH_TOKEN_URL: this.url,
      EXTERNAL_SHIPPING_OAUTH_CLIENT_ID: CLIENT_ID,
      EXTERNAL_SHIPPING_OAUTH_CLIENT_SECRET: CLIENT_SECRET,
    };
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  private async respond({ headers, certificate, body }: ReceivedCall): Promise<Behaviour> {
    const parameters = Object.fromEntries(new URLSearchParams(await body));
    this.requests.push({ headers, certificate, parameters });
    return this.misbehaviour ?? token(this.requests.length, this.expiresIn);
  }
}

/** A response with the token of this number. */
export function token(number: number, expiresIn?: number): Behaviour {
  return json({ access_token: `hidden-credential-${number}`, token_type: 'Bearer', expires_in: expiresIn });
}

/** A response of the token endpoint with this status and body. */
export function respond(status: number, body: unknown = {}, headers: Headers = {}): Behaviour {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  return bytes(Buffer.from(content), { ...JSON_TYPE, ...headers }, status);
}
