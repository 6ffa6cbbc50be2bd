import autocannon from 'autocannon';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Clients that try to use up the service's processor or memory, until they are stopped. */
export class HostileClients {
  private readonly sockets: Socket[] = [];
  private readonly floods: { stop?: () => void }[] = [];

  constructor(private readonly url: string) {}

  /** Pipelines 32 requests on each of 8 connections, and the next 32 when these have their responses. */
  flood(path: string): void {
    const options = { url: this.url + path, connections: 8, pipelining: 32, duration: 600 };
    this.floods.push(autocannon(options, () => undefined));
  }

  /** Opens connections one after the other, sends the text on each, and never reads a response. */
  async leaveUnread(connections: number, text: string, everyMs = 0): Promise<void> {
    const { hostname, port } = new URL(this.url);
    for (let opened = 0; opened < connections; opened += 1) {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => undefined).write(text);
      this.sockets.push(socket);
      await pause(everyMs);
    }
  }

  /** Closes all connections, without waiting for responses. */
  stop(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
    for (const flood of this.floods.splice(0)) flood.stop?.();
  }
}
