import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type PeerCertificate, TLSSocket } from 'node:tls';

/** A request as the token endpoint received it. */
export interface TokenRequest {
  readonly headers: IncomingMessage['headers'];
  readonly parameters: Readonly<Record<string, string>>;
}

export const CLIENT_ID = 'shipping client';
export const CLIENT_SECRET = 'hidden-credential-of-client';

/** The token endpoint of an identity provider on loopback. Its tokens are `hidden-credential-1`, `…-2` and so on. */
export class TokenServer {
  requests: TokenRequest[] = [];
  /** Subject of the client certificate of each request over TLS; empty without one. */
  clientCertificates: string[] = [];
  /** `expires_in` of the tokens, in seconds; `undefined`: not sent. */
  expiresIn: number | undefined = 3600;
  /** What it does instead of issuing a token. */
  misbehaviour: ((response: ServerResponse) => void) | undefined;
  /** Responses wait for this. */
  held: Promise<void> = Promise.resolve();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(tls?: ServerOptions): Promise<TokenServer> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tokens = new TokenServer(server, `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/token?t=1`);
    server.on('request', (...exchange: [IncomingMessage, ServerResponse]) => void tokens.respond(...exchange));
    return tokens;
  }

  /** Settings of a service that gets its tokens here. */
  get env(): Record<string, string> {
    return {
      EXTERNAL_SHIPPING_OAUTH_TOKEN_URL: this.url,
      EXTERNAL_SHIPPING_OAUTH_CLIENT_ID: CLIENT_ID,
      EXTERNAL_SHIPPING_OAUTH_CLIENT_SECRET: CLIENT_SECRET,
    };
  }

  /** The token that was issued last. */
  get latest(): string {
    return `hidden-credential-${this.requests.length}`;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parameters = Object.fromEntries(new URLSearchParams(await text(request)));
    this.requests.push({ headers: request.headers, parameters });
    if (request.socket instanceof TLSSocket) {
      const { subject } = request.socket.getPeerCertificate() as Partial<PeerCertificate>;
      this.clientCertificates.push(String(subject?.CN ?? ''));
    }
    const { latest } = this;
    await this.held;
    if (this.misbehaviour !== undefined) {
      this.misbehaviour(response);
      return;
    }
    const body = { access_token: latest, token_type: 'Bearer', expires_in: this.expiresIn };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  }
}

/** A response of the token endpoint with this status and body. */
export function respond(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): (response: ServerResponse) => void {
  return (response) => {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(content);
  };
}
