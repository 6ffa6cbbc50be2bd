import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
/** The flags and the code of a response. */
const ANSWERS = { address: 0x8580, failure: 0x8582, 'no name': 0x8583, refusal: 0x8585 } as const;
/** It refers to the name in the question, and may be kept for a second. */
const RECORD = [0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];

/** A name server on the loopback interface that says of every name that it has the address of that interface. */
export class NameServer {
  answer: keyof typeof ANSWERS | 'silence' = 'address';
  private readonly socket = createSocket('udp4').on('message', (query, from) => {
    if (this.answer !== 'silence') this.respond(query, from, ANSWERS[this.answer]);
  });

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    await once(server.socket.bind(0, '127.0.0.1'), 'listening');
    return server;
  }

  get port(): number {
    return this.socket.address().port;
  }

  close(): void {
    this.socket.close();
  }

  private respond(query: Buffer, { port, address }: RemoteInfo, flags: number): void {
    // The name ends with an empty label; type and class follow. Of IPv6 there is nothing.
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const records = flags === ANSWERS.address && query.readUInt16BE(end - 4) === 1 ? RECORD : [];
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(flags, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length / RECORD.length, 6);
    this.socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), Buffer.from(records)]), port, address);
  }
}
