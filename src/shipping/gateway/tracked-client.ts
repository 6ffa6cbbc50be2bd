import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';

/** What is known of the connection that carries a request. */
export interface Connection {
  /** Answers it has carried so far. */
  answers: number;
  /** Bytes it has received so far; always 0 where TLS bytes would be counted among them. */
  readonly received: number;
}

/** Dispatch options of a request that wants to know its connection. */
export interface TrackedOptions extends Dispatcher.DispatchOptions {
  /** Told each time the request is given to a connection. */
  readonly carriedBy: (connection: Connection) => void;
}

/**
 * One pooled connection to the external system that knows what it has carried, so that a request which finds a
 * kept-alive connection dead can be told from one that was refused or cut off.
 */
export class TrackedClient extends Client implements Connection {
  answers = 0;
  private socket?: Socket;
  /** By the connection before, once it has ended: its socket is let go of. */
  private receivedInAll = 0;

  constructor(origin: URL, { connect, ...options }: Client.Options) {
    const connector = buildConnector(connect as buildConnector.BuildOptions);
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connector(target, (...result) => {
          this.answers = 0;
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
