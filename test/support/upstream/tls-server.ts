import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';

/** An external system behind the TLS of Node, which can require client certificates. Responds with `{}`. */
export class TlsServer {
  /** Subject of the client certificate of each request; empty without one. */
  readonly subjects: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(options: ServerOptions): Promise<TlsServer> {
    const server = createServer(options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new TlsServer(server, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
      started.subjects.push(String(subject?.CN ?? ''));
      response.setHeader('Content-Type', 'application/json').setHeader('Connection', 'close').end('{}');
    });
    return started;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
