import fastify, { type FastifyContextConfig, type FastifyInstance, type HTTPMethods } from 'fastify';
import { continueTrace } from '../../observability/tracing/tracing';
import { RequestRecord } from '../requests/request-record';
import { rejectOtherMethods } from './refusals';

const ALL: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('D12 routes for the methods that a route of the service does not declare', () => {
  let app: FastifyInstance;
  let addRoutes: () => void;

  beforeEach(() => {
    app = fastify({
      routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    });
    app.decorateRequest('record').addHook('onRequest', (request, _, done) => {
      request.record = new RequestRecord(continueTrace(undefined), request.routeOptions);
      done();
    });
    addRoutes = rejectOtherMethods(app);
  });
  afterEach(() => app.close());

  const declare = (method: HTTPMethods | HTTPMethods[], url: string, config?: FastifyContextConfig): unknown =>
    app.route({ method, url, config, handler: () => 'declared' });
  const OF_SERVICE: FastifyContextConfig = { reportsCompleteness: 'always' };

  it('are not needed for a path that declares all', async () => {
    declare(ALL, '/all', OF_SERVICE);
    addRoutes();
    await expect(app.ready()).resolves.toBeDefined();
  });

  it.each([
    ['/a/:x?', '/a', '/a'],
    ['/a/:x?/', '/A/:y', '/a/b'],
    ['/:x?', '/', '/'],
    ['/a//b', '/a/b/', '/a/b'],
    ['/a/:size-:colour', '/a/:x-:größe', '/a/b-c'],
    ['/a/:id(^\\d+$)', '/a/:code(^[a-z]{2}(?:-\\d)?$)', '/a/7'],
  ])('D83 are the same for paths that are one for the router: %s and %s', async (one, other, url) => {
    declare('GET', one, OF_SERVICE);
    declare('POST', other);
    addRoutes();
    const { statusCode, headers } = await app.inject({ method: 'PUT', url });
    expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  it.each([
    ['GET', '/things/1', 200, undefined],
    ['DELETE', '/things/1', 200, undefined],
    ['POST', '/things/1', 405, 'DELETE, GET, HEAD'],
    ['HEAD', '/posted', 405, 'POST'],
  ] as const)('leave the declared ones, and name them: %s %s', async (method, url, status, allow) => {
    declare('GET', '/things/:id', OF_SERVICE);
    declare('DELETE', '/things/:key');
    declare('POST', '/posted', OF_SERVICE);
    addRoutes();
    const { statusCode, headers } = await app.inject({ method, url });
    expect([statusCode, headers.allow]).toEqual([status, allow]);
  });

  it('D83 are those of its version', async () => {
    const constraints = { version: '1.0.0' };
    app.route({ method: 'GET', url: '/versioned', config: OF_SERVICE, constraints, handler: () => 'declared' });
    addRoutes();
    const { statusCode } = await app.inject('/versioned');
    const posted = await app.inject({ method: 'POST', url: '/versioned', headers: { 'accept-version': '1.0.0' } });
    expect([statusCode, posted.statusCode, posted.headers.allow]).toEqual([404, 405, 'GET, HEAD']);
  });

  it.each([
    ['GET', '/login', 200],
    ['GET', '/orders/import', 200],
    ['OPTIONS', '/login', 404],
    ['PUT', '/orders/7', 404],
    ['GET', '/of-service', 405],
  ] as const)('D83 %s %s is %i beside a page for all paths', async (method, url, status) => {
    for (const path of ['/*', '/orders/:id']) declare('GET', path);
    for (const path of ['/login', '/orders/import']) declare('POST', path);
    declare('POST', '/of-service', { purpose: 'docs' });
    addRoutes();
    expect((await app.inject({ method, url })).statusCode).toBe(status);
  });
});
