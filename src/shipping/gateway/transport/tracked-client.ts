import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';

/** The connection that carries a request. */
export interface Connection {
  /** Responses received so far. */
  responses: number;
  /** Bytes received so far; always 0 for TLS, whose own bytes would count. */
  readonly received: number;
  /** Why the connection failed first: undici reports a TLS alert as the close that follows it. */
  readonly firstError: Error | undefined;
}

/** Dispatch options of a request with its connection. */
export interface TrackedOptions extends Dispatcher.DispatchOptions {
  /** Called each time the request is assigned to a connection. */
  readonly carriedBy: (connection: Connection) => void;
}

/**
 * One pooled connection to the external system that counts its responses, so that a dead kept-alive connection is
 * distinguished from a refused or broken one.
 */
export class TrackedClient extends Client implements Connection {
  responses = 0;
  firstError: Error | undefined;
  private socket?: Socket;
  /** By the previous connection, whose socket is released when it ends. */
  private receivedInAll = 0;

  constructor(origin: URL, options: Client.Options, connector: buildConnector.connector) {
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connector(target, (...result) => {
          this.responses = 0;
          this.firstError = undefined;
          const socket = result[1] ?? undefined;
          if (socket !== undefined) this.track(socket);
          callback(...result);
        });
      },
    });
  }

  get received(): number {
    return this.socket === undefined ? this.receivedInAll : receivedBy(this.socket);
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (options as TrackedOptions).carriedBy(this);
    return super.dispatch(options, handler);
  }

  private track(socket: Socket): void {
    this.socket = socket;
    socket.once('error', (error) => {
      this.firstError = error;
    });
    socket.once('close', () => {
      if (this.socket !== socket) return;
      this.receivedInAll = receivedBy(socket);
      this.socket = undefined;
    });
  }
}

function receivedBy(socket: Socket): number {
  return 'encrypted' in socket ? 0 : socket.bytesRead;
}
