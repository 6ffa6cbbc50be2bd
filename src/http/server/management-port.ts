import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { namingSetting, type Settings } from '../../config/settings';
import { BoundedServer } from './bounded-server';

/** Time for the last responses of this port when it closes; a client that does not read must not delay the shutdown. */
const LAST_RESPONSES_MS = 500;

/**
 * Serves metrics and the details of probes only on the management port, if one is configured (D25). The port opens
 * before that of the operations and closes after it, so that an orchestrator sees the service start and drain.
 *
 * @returns a function that decides whether a request for probes and metrics came to the port of the operations, or the
 * reverse; `undefined` without a management port
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  { host, managementPort }: Settings,
  logger: Logger,
): ((request: FastifyRequest) => boolean) | undefined {
  if (managementPort === undefined) {
    fastify.decorateRequest('seesDetails', true);
    return undefined;
  }
  const server = new BoundedServer(fastify.routing.bind(fastify));
  let actualPort: number | undefined;
  fastify.decorateRequest('seesDetails', {
    getter(this: FastifyRequest) {
      return this.socket.localPort === actualPort;
    },
  });
  fastify.addHook('onReady', async () => {
    server.listen(managementPort, host);
    await once(server, 'listening').catch(namingSetting('MANAGEMENT_PORT'));
    const { address, family, port } = server.address() as AddressInfo;
    actualPort = port;
    const name = family === 'IPv6' ? `[${address}]` : address;
    logger.info({ management: `http://${name}:${port}` }, 'Listening for probes and metrics');
  });
  fastify.addHook('onClose', (_, done) => {
    setTimeout(server.closeAllConnections.bind(server), LAST_RESPONSES_MS).unref();
    server.close(() => {
      done();
    });
  });
  return (request) => {
    const { purpose, onEveryPort } = request.routeOptions.config;
    return request.seesDetails ? purpose !== 'management' : purpose === 'management' && onEveryPort !== true;
  };
}
