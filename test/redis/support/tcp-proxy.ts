import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A wire to a server that can be made slow or go dead. */
export class TcpProxy {
  /** How much later what the server says arrives, in milliseconds; `Infinity`: never. */
  delayMs = 0;
  /** How many connections were accepted. */
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The port that new connections lead to. */
    public target: number,
  ) {
    server.on('connection', (socket) => {
      this.connections += 1;
      this.join(socket);
    });
  }

  static async to(port: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, port);
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    near.pipe(far);
    far.on('data', (data: Buffer) => {
      if (this.delayMs === 0) near.write(data);
      else if (this.delayMs !== Infinity) setTimeout(() => near.write(data), this.delayMs);
    });
  }
}
