import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { COMPLETE, ExternalShippingGateway } from 'shipping-query-service';
import { createTestingApp } from 'shipping-query-service/testing';
import { TeamModule } from './team.module';

describe('TeamModule', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const gateway = { list: () => Promise.resolve({ body: [], completeness: COMPLETE }) };
    app = await createTestingApp({
      imports: [TeamModule],
      configure: (builder) => builder.overrideProvider(ExternalShippingGateway).useValue(gateway),
    });
    await app.init();
  });
  afterAll(() => app.close());

  it.each([
    ['/team/status', 200, { status: 'ok' }],
    ['/team/me', 403, { code: 'forbidden' }],
    ['/api/Shipping/GetShippingDetails', 200, []],
  ])('%s gets %i, with middleware and interceptor', async (url, status, body) => {
    const response = await app.inject({ url });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject(body);
    expect(response.headers['x-team']).toBe('a');
    expect(response.headers['x-version']).toBe(status === 200 ? '1' : undefined);
  });

  it('the document has the problem that a route names', async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json<{ paths: Record<string, unknown> }>();
    const problem = { schema: { $ref: '#/components/schemas/Problem' } };
    const content = { 'application/problem+json': problem };
    expect(paths['/team/me']).toMatchObject({ get: { responses: { 403: { content } } } });
  });
});
