import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall } from './received-call';

/** What the upstream does with one call. Resolves when it has done all it means to do. */
export interface Behaviour {
  perform(exchange: Exchange): Promise<void> | void;
}

/** Response headers by name. */
export type Headers = Record<string, string>;

/** How a connection dies when its client uses it again: reset (RST) or closed (FIN). */
export type Death = 'reset' | 'close';

// A reset makes some kernels drop what the peer has received but not read; this gives the peer time to read it.
const READ_BEFORE_RESET_MS = 25;

/** Writes the head of a response, its empty line included. */
export function responseHead(status: number, headers: Headers = {}, httpVersion = '1.1'): string {
  const statusLine = `HTTP/${httpVersion} ${status} ${STATUS_CODES[status] ?? 'Unnamed'}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [statusLine, ...lines, '', ''].join('\r\n');
}

/** Frames one chunk of a chunked body. An empty chunk ends the body. */
export function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** One call and the connection it came over, in the hands of a behaviour. */
export class Exchange {
  /** How the connection is to die when the client uses it again; undefined: it does not. */
  deathOnReuse: Death | undefined;

  constructor(
    readonly call: ReceivedCall,
    private readonly response: ServerResponse,
    private readonly socket: Socket,
    /** Aborted as soon as the connection is closed. */
    readonly gone: AbortSignal,
  ) {}

  /** Sends a whole response with the length of its body, and leaves the connection as the client asked. */
  async answer(status: number, headers: Headers, body: Buffer): Promise<void> {
    const length = [204, 304].includes(status) ? {} : { 'Content-Length': String(body.length) };
    this.response.writeHead(status, { ...headers, ...length }).end(body);
    if (!this.response.writableFinished) await Promise.race([once(this.response, 'finish'), this.untilGone()]);
  }

  /**
   * Writes bytes as they are; close the connection after them. Resolves when the kernel has taken them, or when the
   * connection is gone.
   */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed || this.socket.writableEnded) resolve();
      else this.socket.write(bytes, () => { resolve(); }); // prettier-ignore
    });
  }

  /** Closes the connection in good order (FIN), after what has been written. */
  close(): void {
    this.socket.end();
  }

  /** Breaks the connection at once (RST). */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Breaks the connection (RST) after giving the client the time to read what has been written. */
  async resetOnceRead(): Promise<void> {
    await this.pause(READ_BEFORE_RESET_MS);
    this.reset();
  }

  /** Waits for so long, or until the connection is gone. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.gone }).catch(() => undefined);
  }

  /** Waits until the client has left or the upstream has hung up. */
  async untilGone(): Promise<void> {
    if (!this.gone.aborted) await once(this.gone, 'abort');
  }
}
