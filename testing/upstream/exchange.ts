import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall } from './received-call';

/** What the upstream does with one call. `perform` resolves when nothing more is to be done for it. */
export interface Behaviour {
  perform(exchange: Exchange): Promise<void> | void;
}

/** Response headers by name. */
export type Headers = Record<string, string>;

/** How the upstream ends a connection when its client uses it again: by a reset (RST) or by closing it (FIN). */
export type Death = 'reset' | 'close';

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

/** One call with its connection, by which a behaviour responds. */
export class Exchange {
  /** How the connection ends when the client uses it again; `undefined`: it stays open. */
  deathOnReuse: Death | undefined;

  constructor(
    readonly call: ReceivedCall,
    private readonly response: ServerResponse,
    private readonly socket: Socket,
    /** Aborted as soon as the connection is closed. */
    readonly gone: AbortSignal,
  ) {}

  /**
   * Sends a complete response with `Content-Length`. The connection stays open unless the client has asked to close it.
   */
  async respond(status: number, headers: Headers, body: Buffer): Promise<void> {
    const length = [204, 304].includes(status) ? {} : { 'Content-Length': String(body.length) };
    this.response.writeHead(status, { ...headers, ...length }).end(body);
    if (!this.response.writableFinished) await Promise.race([once(this.response, 'finish'), this.untilGone()]);
  }

  /**
   * Writes bytes to the connection as they are. Node's HTTP server does not take them for a response, so that the
   * behaviour has to close the connection afterwards. Resolves when the kernel has accepted the bytes, or when the
   * connection is closed.
   */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed || this.socket.writableEnded) resolve();
      else this.socket.write(bytes, () => { resolve(); }); // prettier-ignore
    });
  }

  /** Closes the connection in the regular way (FIN), after what was written. */
  close(): void {
    this.socket.end();
  }

  /** Resets the connection at once (RST). */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Waits for some milliseconds, or until the connection is closed. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.gone }).catch(() => undefined);
  }

  /** Waits until the connection is closed, by the client or by the upstream. */
  async untilGone(): Promise<void> {
    if (!this.gone.aborted) await once(this.gone, 'abort');
  }
}
