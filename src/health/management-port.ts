import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { SETTINGS, type Settings, throwNaming } from '../config/settings';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { Refusal } from '../http/requests/refusals';
import { BoundedServer } from '../http/server/bounded-server';

/** Time for the last responses of this port when it closes; a client that does not read must not delay the shutdown. */
const LAST_RESPONSES_MS = 500;

/**
 * Serves metrics and the details of probes only on the management port, if one is configured, and nothing else on it
 * (D25). The port opens before that of the operations and closes after it, so that an orchestrator sees the service
 * start and drain.
 */
@Injectable()
export class ManagementPort {
  private port: number | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** Whether a request may see details of the process: not on the port of the operations where there is this one. */
  showsDetails({ socket }: FastifyRequest): boolean {
    return this.settings.managementPort === undefined || socket.localPort === this.port;
  }

  /** Refuses what the port of a request does not serve. */
  readonly refusal: Refusal = (request) => {
    if (this.settings.managementPort === undefined) return undefined;
    const { purpose, onEveryPort } = request.record.route.config;
    const isServed = this.showsDetails(request)
      ? purpose === 'management' || request.is404
      : purpose !== 'management' || onEveryPort === true;
    return isServed ? undefined : PROBLEMS.routeNotFound;
  };

  /** Opens and closes the port with an application. */
  join(fastify: FastifyInstance & { routing: RequestListener }, logger: Logger): void {
    const { managementPort, host } = this.settings;
    if (managementPort === undefined) return;
    const server = new BoundedServer(fastify.routing.bind(fastify));
    fastify.addHook('onReady', async () => {
      server.listen(managementPort, host);
      await once(server, 'listening').catch((error: unknown) => throwNaming('HOST or MANAGEMENT_PORT', error));
      const { address, family, port } = server.address() as AddressInfo;
      this.port = port;
      const name = family === 'IPv6' ? `[${address}]` : address;
      logger.info({ management: `http://${name}:${port}` }, 'Listening for probes and metrics');
    });
    fastify.addHook('onClose', (_, done) => {
      setTimeout(server.closeAllConnections.bind(server), LAST_RESPONSES_MS).unref();
      server.close(() => {
        done();
      });
    });
  }
}
