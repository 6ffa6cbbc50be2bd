import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_WAITING, SILENCE_MS } from './bounds';
import { bytesOf, type Held } from './held-memory';

/** Starts a request of a connection. */
export type Start = (connection: Connection) => void;

const connections = new WeakMap<Socket, Connection>();

export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** A connection of a client: the request that is in progress, and those that were read behind it. */
export class Connection implements Held {
  /** The response of the request in progress. */
  response: ServerResponse | undefined;
  body: Held['body'] = 0;
  objectBytes = 0;
  /** Whether Node has given the connection up for an upgrade. Nothing listens to it then: `resume` would lose data. */
  isGivenUp = false;
  private waiting: { readonly start: Start; readonly bytes: number }[] = [];
  private waitingBytes = 0;
  /** When Node last reported that the client has read nothing of a response for a second, by `performance.now()`. */
  private silentAt = -Infinity;
  private silentSince = 0;

  constructor(readonly socket: Socket) {
    connections.set(socket, this);
  }

  get otherBytes(): number {
    return this.objectBytes + this.waitingBytes;
  }

  /** What is freed when the connection is closed; others may hold the same body. */
  get bytes(): number {
    return bytesOf([this]);
  }

  /** Whether no request waits behind the one in progress. */
  get isLast(): boolean {
    return this.waiting.length === 0;
  }

  /** Lets a request wait until those before it have their responses. */
  wait(start: Start, bytes: number): void {
    this.waiting.push({ start, bytes });
    this.waitingBytes += bytes;
    // Node resumes the socket right after the event of a request, so that a pause has to wait for the next tick.
    process.nextTick(() => {
      if (this.waiting.length > MAX_WAITING && !this.isGivenUp) this.socket.pause();
    });
  }

  /** Ends the request in progress. Returns the next one that waits. */
  end(): Start | undefined {
    this.response = undefined;
    this.body = 0;
    this.objectBytes = 0;
    this.silentAt = -Infinity;
    const next = this.waiting.shift();
    this.waitingBytes -= next?.bytes ?? 0;
    if (this.waiting.length === MAX_WAITING && !this.isGivenUp) this.socket.resume();
    return next?.start;
  }

  /**
   * Call when the socket is closed. Its waiting requests are not started any more; others may hold the socket for
   * longer, and would hold the memory of these requests with it (D59).
   */
  closed(): void {
    this.waiting = [];
    this.waitingBytes = 0;
  }

  /** Call when Node reports a second of silence. Returns for how long the client has read nothing of its response. */
  silence(now: number): number {
    // Only a response that the client could read is unread. The time of one that is not written yet is limited by the
    // deadline of its upstream call, and that of a request that has not arrived completely by `headersTimeout` and
    // `requestTimeout`.
    if (this.response === undefined || this.response.writableLength === 0) {
      this.silentAt = -Infinity;
      return 0;
    }
    // Node reports each second in which the client reads nothing, and skips those in which it reads.
    if (!this.isSilent(now)) this.silentSince = now - SILENCE_MS;
    this.silentAt = now;
    return now - this.silentSince;
  }

  /** Whether the client has read nothing of its response for at least a second. */
  isSilent(now: number): boolean {
    return now - this.silentAt < 1.5 * SILENCE_MS;
  }
}
