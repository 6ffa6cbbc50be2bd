import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of the loopback interface on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A base URL on the loopback interface on which nothing listens: connections to it are refused. */
export async function refusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
