import type { Socket } from 'node:net';

/** From so many requests in progress on, connections are read in turns. */
const READ_FREELY = 32;

/**
 * Reads connections one after the other while many requests are in progress: V8's collector copies all of them, so the
 * next request of a connection starts only in its turn, one in each turn of the event loop.
 */
export class ReadTurns {
  /** Paused connections, in the order of their turns. */
  private readonly paused = new Set<Socket>();
  private nextTurn: NodeJS.Immediate | undefined;

  /** A response was sent, and so many requests remain in progress. */
  requestEnded(active: number): void {
    if (active < READ_FREELY) this.readNext();
  }

  /** All responses of a connection were sent: it waits for its turn where so many requests are in progress. */
  connectionIdle(socket: Socket, active: number): void {
    if (active < READ_FREELY) return;
    socket.pause();
    this.paused.add(socket);
    this.nextTurn ??= setImmediate(this.takeTurn);
  }

  /** Reads all connections again, because the server closes. */
  end(): void {
    for (const socket of this.paused) socket.resume();
    this.paused.clear();
  }

  forget(socket: Socket): void {
    this.paused.delete(socket);
  }

  /** However long the requests in progress take, one connection is read in each turn of the event loop. */
  private readonly takeTurn = (): void => {
    this.readNext();
    this.nextTurn = this.paused.size > 0 ? setImmediate(this.takeTurn) : undefined;
  };

  private readNext(): void {
    const [socket] = this.paused;
    if (socket === undefined) return;
    this.paused.delete(socket);
    socket.resume();
  }
}
