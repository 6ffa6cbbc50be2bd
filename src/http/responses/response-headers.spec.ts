import { bareServer } from '../../../test/support/http-server';
import { responseHeaders } from './response-headers';

describe('responseHeaders', () => {
  it('lets browsers run scripts of the Swagger page only, and never upgrades to HTTPS', async () => {
    const server = bareServer();
    const setHeaders = responseHeaders();
    server.addHook('onRequest', (request, reply, done) => {
      setHeaders(request, reply);
      done();
    });
    for (const path of ['/api/Shipping/GetSomething', '/docs']) server.get(path, () => 'a body');
    const headersOf = async (url: string): Promise<Record<string, unknown>> => (await server.inject(url)).headers;
    expect(await headersOf('/api/Shipping/GetSomething')).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    const { 'content-security-policy': policy } = await headersOf('/docs');
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    await server.close();
  });
});
