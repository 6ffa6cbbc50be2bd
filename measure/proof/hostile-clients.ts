import autocannon from 'autocannon';
import { connect, type Socket } from 'node:net';

/** Clients that occupy the service at the expense of others, until they are stopped. */
export class HostileClients {
  private readonly sockets: Socket[] = [];
  private readonly floods: { stop?: () => void }[] = [];
  private opening: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  /** Pipelines 32 requests on each of 8 connections, again and again when all responses have arrived. */
  flood(path: string): void {
    const options = { url: this.url + path, connections: 8, pipelining: 32, duration: 600 };
    this.floods.push(autocannon(options, () => undefined));
  }

  /** Opens 20 connections, one every 100 ms, pipelines 8 requests on each, and reads no response. */
  leaveUnread(path: string): void {
    const { hostname, port } = new URL(this.url);
    this.opening = setInterval(() => {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nHost: hostile\r\n\r\n`.repeat(8));
      if (this.sockets.push(socket) === 20) clearInterval(this.opening);
    }, 100);
  }

  /** Closes all connections, without waiting for responses. */
  stop(): void {
    clearInterval(this.opening);
    for (const socket of this.sockets.splice(0)) socket.destroy();
    for (const flood of this.floods.splice(0)) flood.stop?.();
  }
}
