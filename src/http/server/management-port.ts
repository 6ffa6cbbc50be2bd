import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createHttpServer } from './fastify-adapter';
import { isManagementRequest } from '../paths';
import type { ProblemDefinition } from '../problems/problem';
import { PROBLEMS } from '../problems/problem-definitions';

/** How long open probes may take when the operations have ended. */
const LAST_RESPONSES_MS = 500;
/** Enough for probes and scrapes. */
const MAX_CONNECTIONS = 256;

/**
 * Serves probes and metrics on a port of their own, and only there. It opens before the main port and closes after it, so
 * that an orchestrator sees the service start and drain.
 *
 * @returns the problem of a request at the other port
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  { host, port }: { readonly host: string; readonly port: number },
  logger: Pick<Logger, 'info'>,
): (request: FastifyRequest) => ProblemDefinition | undefined {
  const onManagementPort = new WeakSet<IncomingMessage>();
  const listener: RequestListener = (request, response) => {
    onManagementPort.add(request);
    fastify.routing(request, response);
  };
  const { clientErrors, connections } = fastify;
  const server = createHttpServer(listener, connections, MAX_CONNECTIONS);
  server.on('clientError', clientErrors.handle);
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
  return (request) =>
    onManagementPort.has(request.raw) === isManagementRequest(request) ? undefined : PROBLEMS.routeNotFound;
}
