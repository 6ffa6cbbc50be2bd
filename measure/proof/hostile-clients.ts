import { once } from 'node:events';
import { connect } from 'node:net';
import { send } from '../../test/support/http-client';

const PATH = '/api/Shipping/GetShippingDetails?Limit=7';
const FLOOD_CONNECTIONS = 4;
const FLOOD_REQUESTS = 500;
/** Close to the 16 KiB that a request line may have. */
const HOSTILE_QUERY = '%&'.repeat(7_500);

/** Clients that try to hold up everybody else. */
export class HostileClients {
  constructor(private readonly url: string) {}

  /** A query string of thousands of invalid escapes. @returns the status of the response */
  async sendHostileQuery(): Promise<number> {
    return (await send(this.url, `/api/Shipping/GetShippingDetails?${HOSTILE_QUERY}`)).status;
  }

  /** Pipelines identical requests on a few connections, and disconnects without reading all responses. */
  async flood(): Promise<void> {
    const { hostname, port } = new URL(this.url);
    const requests = `GET ${PATH} HTTP/1.1\r\nHost: flood\r\n\r\n`.repeat(FLOOD_REQUESTS);
    const sockets = Array.from({ length: FLOOD_CONNECTIONS }, () => {
      const socket = connect(Number(port), hostname);
      // The service may close the connection.
      socket.on('error', () => undefined);
      socket.write(requests);
      return socket;
    });
    await Promise.all(
      sockets.map(async (socket) => {
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.destroy();
      }),
    );
  }
}
