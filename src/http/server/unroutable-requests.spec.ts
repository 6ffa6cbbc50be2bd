import fastify, { type FastifyInstance, type HTTPMethods } from 'fastify';
import { rejectOtherMethods } from './unroutable-requests';

const ALL: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('D12 routes for the methods that a path does not declare', () => {
  let app: FastifyInstance;

  beforeEach(() => {
    app = fastify({ routerOptions: { caseSensitive: false, ignoreTrailingSlash: true } });
    rejectOtherMethods(app);
  });
  afterEach(() => app.close());

  const declare = (method: HTTPMethods | HTTPMethods[], url: string): unknown =>
    app.route({ method, url, handler: () => undefined });

  it('are added once for what the router takes for one path', async () => {
    declare('GET', '/Things/:id');
    declare('POST', '/things/:name/');
    // Fastify throws where a path gets a route twice.
    await expect(app.ready()).resolves.toBeDefined();
  });

  it('are not needed for a path that declares all', async () => {
    declare(ALL, '/all');
    await expect(app.ready()).resolves.toBeDefined();
  });
});
