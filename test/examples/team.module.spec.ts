import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import { COMPLETE } from '../../src/shipping/model/completeness';
import { TeamModule } from './team.module';

/** Nothing listens there: the gateway is replaced. */
const NOWHERE = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };

describe('the module of docs/extending.md', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const fetch = () => Promise.resolve({ body: [], completeness: COMPLETE });
    app = await createApp(readSettings(NOWHERE), pino({ level: 'silent' }), {
      imports: [TeamModule],
      overrides: [{ provide: ExternalShippingGateway, useValue: { fetch } }],
    });
    await app.init();
  });
  afterAll(() => app.close());

  it('is shown as it is compiled and tested here', () => {
    const shown = readFileSync(join(__dirname, '../../docs/extending.md'), 'utf8');
    const code = readFileSync(join(__dirname, 'team.module.ts'), 'utf8').replaceAll("'../../src/", "'../");
    expect(shown).toContain(code.trim());
  });

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
});
