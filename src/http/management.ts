import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { ManagementSettings } from '../config/settings';
import { refuseBrokenRequest, refuseExpectation } from './broken-request';
import { isManagement } from './paths';
import { frameworkKind, sendProblem } from './problem.filter';
import { SERVER_OPTIONS } from './fastify-adapter';

/** What is in flight when the operations are done is a probe: it gets this long. */
const LAST_ANSWERS_MS = 500;

/**
 * Serves probes and metrics on a port of their own, and there alone; on that port there is nothing else. It opens before
 * the other port and closes after it, so that an orchestrator sees the service start and drain.
 */
export function separateManagement(
  fastify: FastifyInstance & { routing: RequestListener },
  { host, port }: ManagementSettings,
  logger: Pick<Logger, 'info'>,
): void {
  const theirs = new WeakSet<IncomingMessage>();
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    theirs.add(request);
    fastify.routing(request, response);
  });
  server.on('clientError', refuseBrokenRequest);
  server.on('checkExpectation', refuseExpectation);
  fastify.addHook('onRequest', (request: FastifyRequest, reply, done) => {
    if (theirs.has(request.raw) === isManagement(request)) done();
    else sendProblem(reply, request, frameworkKind(404));
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
    }, LAST_ANSWERS_MS);
    server.close(() => {
      clearTimeout(cut);
      done();
    });
    server.closeIdleConnections();
  });
}
