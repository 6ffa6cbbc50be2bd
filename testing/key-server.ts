import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'shipping';

interface IssuerKey {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

/** The key server (JWKS) of an identity provider, on loopback, with the private keys that sign tokens of tests. */
export class KeyServer {
  /** How often the keys were fetched. */
  fetches = 0;
  /** Where it is set, responds to requests for the keys, such as with an error. */
  misbehaviour: ((response: ServerResponse) => void) | undefined;
  private keys: IssuerKey[] = [];
  private made = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(alg = 'ES256'): Promise<KeyServer> {
    const server = createServer((_, response) => {
      keyServer.fetches += 1;
      if (keyServer.misbehaviour === undefined) response.end(keyServer.document);
      else keyServer.misbehaviour(response);
    });
    // Where a test fails before it closes the server, the runner ends nevertheless.
    server.listen(0, '127.0.0.1').unref();
    await once(server, 'listening');
    const keyServer = new KeyServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`);
    await keyServer.rotate(alg);
    return keyServer;
  }

  /** Settings of a service that accepts tokens signed with the keys of this server. */
  get env(): Record<string, string> {
    return { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE, AUTH_JWKS_URL: this.url };
  }

  /** Replaces all keys by a new one. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.keys = [];
    await this.add(alg);
  }

  /** Adds a key, with which tokens are signed from now on. */
  async add(alg = 'ES256'): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    this.made += 1;
    this.keys.unshift({
      jwk: { ...(await exportJWK(publicKey)), kid: `key-${this.made}`, alg, use: 'sig' },
      privateKey,
    });
  }

  /** The key set, as JSON. */
  get document(): string {
    return JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) });
  }

  get key(): IssuerKey {
    const [key] = this.keys;
    if (key === undefined) throw new Error('There is no key');
    return key;
  }

  /** Signs a valid token. `claims` and `header` replace its own; those that are `undefined` are left out. */
  sign(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
    const { jwk, privateKey } = this.key;
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'somebody', iat: now, exp: now + 300, ...claims };
    return new SignJWT(withoutAbsent(payload))
      .setProtectedHeader(withoutAbsent({ alg: jwk.alg, kid: jwk.kid, ...header }) as JWTHeaderParameters)
      .sign(privateKey);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

function withoutAbsent(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
