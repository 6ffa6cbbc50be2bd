import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { namingSetting, type Settings } from '../config/settings';
import { sendProblem } from '../http/problems/problem.filter';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { BoundedServer } from '../http/server/bounded-server';

/** Time for the last responses of this port when it closes; a client that does not read must not delay the shutdown. */
const LAST_RESPONSES_MS = 500;

/**
 * Serves metrics and the details of probes only on the management port, if one is configured, and nothing else on it
 * (D25). The port opens before that of the operations and closes after it, so that an orchestrator sees the service
 * start and drain.
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  { host, managementPort }: Settings,
  logger: Logger,
): void {
  if (managementPort === undefined) {
    fastify.decorateRequest('seesDetails', true);
    return;
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
  fastify.addHook('onRequest', (request, reply, done) => {
    const { purpose, onEveryPort } = request.routeOptions.config;
    const isOperation = purpose !== 'management' && !request.is404;
    const isOfManagement = purpose === 'management' && onEveryPort !== true;
    if (request.seesDetails ? isOperation : isOfManagement) sendProblem(reply, PROBLEMS.routeNotFound);
    else done();
  });
}
