import type { FastifyInstance } from 'fastify';
import { readSettings } from '../../src/config/settings';
import { createFastifyAdapter } from '../../src/http/server/fastify-adapter';
import { decorateRequests } from '../../src/http/requests/request-state';

/** The Fastify server of the service without its hooks, for specs that add one hook and some routes. */
export function bareServer(): FastifyInstance {
  const server = createFastifyAdapter(readSettings({})).getInstance<FastifyInstance>();
  decorateRequests(server);
  return server;
}
