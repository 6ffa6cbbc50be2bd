import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { ManagementSettings } from '../config/settings';
import { createHttpServer } from './fastify-adapter';
import { isManagementRequest } from './paths';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

/** How long open probes may take when the operations have ended. */
const LAST_RESPONSES_MS = 500;
/** Enough for probes and scrapes. */
const MAX_CONNECTIONS = 256;

/**
 * Serves probes and metrics on a port of their own, and only there. It opens before the main port and closes after it, so
 * that an orchestrator sees the service start and drain.
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  { host, port }: ManagementSettings,
  logger: Pick<Logger, 'info'>,
): void {
  const onManagementPort = new WeakSet<IncomingMessage>();
  const listener: RequestListener = (request, response) => {
    onManagementPort.add(request);
    fastify.routing(request, response);
  };
  const { clientErrors, connections } = fastify;
  const server = createHttpServer(listener, connections, clientErrors, MAX_CONNECTIONS);
  server.on('clientError', clientErrors.handle);
  fastify.addHook('onRequest', (request: FastifyRequest, reply, done) => {
    if (onManagementPort.has(request.raw) === isManagementRequest(request)) done();
    else sendProblem(reply, request, PROBLEMS.routeNotFound);
  });
  fastify.addHook('onReady', async () => {
    server.listen(port, host);
    await once(server, 'listening');
    const { address, family, port: actual } = server.address() as AddressInfo;
    const name = family === 'IPv6' ? `[${address}]` : address;
    logger.info({ management: `http://${name}:${actual}` }, 'Listening for probes and metrics');
  });
  fastify.addHook('onClose', (_, done) => {
    if (!server.listening) {
      done();
      return;
    }
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, LAST_RESPONSES_MS);
    server.close(() => {
      clearTimeout(cut);
      done();
    });
    server.closeIdleConnections();
  });
}
