import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import { responseHeaders } from './response-headers';

describe('responseHeaders', () => {
  let server: FastifyInstance;
  beforeAll(() => {
    server = bareServer();
    const setHeaders = responseHeaders();
    server.addHook('onRequest', (request, reply, done) => {
      setHeaders(request, reply);
      done();
    });
    for (const path of ['/api/Shipping/GetSomething', '/health/live', '/docs']) server.get(path, () => 'a body');
  });
  afterAll(() => server.close());

  it.each(['/api/Shipping/GetSomething', '/health/live', '/docs', '/nowhere'])(
    'D20 D21 D22 %s has the common headers',
    async (url) => {
      expect((await server.inject({ url, headers: { 'x-request-id': 'REQ-1' } })).headers).toMatchObject({
        'x-request-id': 'REQ-1',
        vary: 'Prefer, accept-encoding',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('lets browsers run scripts of the Swagger page only, and never upgrades to HTTPS', async () => {
    const policyOf = async (url: string): Promise<unknown> =>
      (await server.inject(url)).headers['content-security-policy'];
    expect(await policyOf('/api/Shipping/GetSomething')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(await policyOf('/docs')).toContain("script-src 'self'");
    expect(await policyOf('/docs')).not.toContain('upgrade-insecure-requests');
  });
});
