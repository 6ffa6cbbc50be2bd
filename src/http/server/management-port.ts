import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { isManagementRequest } from '../paths';
import { BoundedServer } from './bounded-server';

/** How long open probes may take when the operations have ended. */
const LAST_RESPONSES_MS = 500;
/** Enough for probes and scrapes. */
const MAX_CONNECTIONS = 256;

/**
 * Serves probes and metrics on a port of their own, and only there. It opens before the main port and closes after it, so
 * that an orchestrator sees the service start and drain.
 *
 * @returns whether a request came to the port of the others
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  host: string,
  port: number,
  logger: Pick<Logger, 'info'>,
): (request: FastifyRequest) => boolean {
  const server = new BoundedServer((request, response) => {
    fastify.routing(request, response);
  }, MAX_CONNECTIONS);
  let actualPort: number | undefined;
  fastify.addHook('onReady', async () => {
    server.listen(port, host);
    await once(server, 'listening');
    const { address, family, port: actual } = server.address() as AddressInfo;
    actualPort = actual;
    const name = family === 'IPv6' ? `[${address}]` : address;
    logger.info({ management: `http://${name}:${actual}` }, 'Listening for probes and metrics');
  });
  fastify.addHook('onClose', (_, done) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, LAST_RESPONSES_MS);
    server.close(() => {
      clearTimeout(cut);
      done();
    });
  });
  return (request) => isManagementRequest(request) !== (request.socket.localPort === actualPort);
}
