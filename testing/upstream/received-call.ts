import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type PeerCertificate, TLSSocket } from 'node:tls';

/** How a call ended: `finished` where its behaviour was completed, `aborted` where the connection was closed before. */
export type Outcome = 'finished' | 'aborted';

/** One request that the scripted upstream has received. */
export class ReceivedCall {
  readonly method: string;
  /** The raw request target: path and query, nothing decoded. */
  readonly target: string;
  /** Lower-cased names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw path, nothing decoded. */
  readonly path: string;
  readonly params: URLSearchParams;
  /** The body that the client sent; empty where the client disconnected before its end. */
  readonly body: Promise<string>;
  /** The subject of the client certificate; undefined without one. */
  readonly certificate: string | undefined;
  /** Resolves when the call has ended, in whatever way. */
  readonly outcome: Promise<Outcome>;
  /** Whether the connection was closed before the response was complete. */
  aborted = false;
  /** Called by the upstream, not by tests, when the call has ended. */
  settle!: (outcome: Outcome) => void;

  constructor(request: IncomingMessage) {
    const { method = '', url = '', headers, socket } = request;
    this.body = text(request).catch(() => '');
    this.method = method;
    this.target = url;
    this.headers = headers as Record<string, string | undefined>;
    const [path = '', ...query] = url.split('?');
    this.path = path;
    this.params = new URLSearchParams(query.join('?'));
    const peer = socket instanceof TLSSocket ? (socket.getPeerCertificate() as Partial<PeerCertificate>) : {};
    this.certificate = peer.subject?.CN as string | undefined;
    this.outcome = new Promise((resolve) => {
      this.settle = (outcome) => {
        this.aborted = outcome === 'aborted';
        resolve(outcome);
      };
    });
  }
}
