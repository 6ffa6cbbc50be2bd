import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** A name server on the loopback interface that returns the same IPv4 addresses for every name. */
export class NameServer {
  addresses: readonly string[] = [];
  /** Milliseconds until it responds. */
  delayMs = 0;
  private readonly socket = createSocket('udp4');

  private constructor() {
    this.socket.on('message', (query, from) => setTimeout(() => { this.respond(query, from); }, this.delayMs)); // prettier-ignore
  }

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    server.socket.bind(0, '127.0.0.1');
    await once(server.socket, 'listening');
    return server;
  }

  get port(): number {
    return this.socket.address().port;
  }

  private respond(query: Buffer, { port, address }: RemoteInfo): void {
    // The name ends with an empty label; type and class follow.
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const known = query.readUInt16BE(end - 4) === TYPE_A ? this.addresses : [];
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    // An authoritative response; code 3 is: no such name.
    header.writeUInt16BE(this.addresses.length > 0 ? 0x8580 : 0x8583, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(known.length, 6);
    // Each refers to the name in the question, and may be kept for a second.
    const records = known.map((each) =>
      Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...each.split('.').map(Number)]),
    );
    this.socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]), port, address);
  }
}
