import type { Server } from 'node:http';
import { readSettings } from '../../config/settings';
import { createFastifyAdapter } from './fastify-adapter';

const serverWith = (env: Record<string, string> = {}): Server =>
  createFastifyAdapter(readSettings(env)).getHttpServer<Server>();

describe('createFastifyAdapter', () => {
  it.each([
    ['3', 256],
    ['100', 400],
  ])('D34 with %s requests in progress at most, %d connections are accepted', (MAX_ACTIVE_REQUESTS, connections) => {
    expect(serverWith({ MAX_ACTIVE_REQUESTS }).maxConnections).toBe(connections);
  });

  it('D44 a connection that takes no byte of a response for 30 s is closed', () => {
    expect(serverWith()).toMatchObject({ timeout: 30_000, keepAliveTimeout: 72_000 });
  });
});
