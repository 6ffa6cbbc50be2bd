import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server with fixed responses, for the few commands that a new connection sends. */
export class LittleRedis {
  readonly commands: string[] = [];
  readonly sockets = new Set<Socket>();
  /** Responses to single commands, by their name. */
  readonly responses: Record<string, string> = {};
  /** The response to all other commands; where it is `undefined`, the server does not respond. */
  response: string | undefined = '+OK\r\n';

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('data', (data) => {
        for (const command of data.toString().split(/^\*\d+\r\n/m)) {
          const words = command.split('\r\n').filter((text) => text !== '' && !text.startsWith('$'));
          if (words.length > 0) this.commands.push(words.join(' '));
          const response = this.responses[words[0] ?? ''] ?? this.response;
          if (words.length > 0 && response !== undefined) socket.write(response);
        }
      });
    });
  }

  static async start(): Promise<LittleRedis> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LittleRedis(server);
  }

  address(scheme = 'redis', user = '', path = ''): URL {
    return new URL(`${scheme}://${user}127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }
}
