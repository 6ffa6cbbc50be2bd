import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GetShippingDetailsQuery, GetShippingInfoByIdQuery } from 'shipping-query-service';
import {
  bearer,
  createTestingApp,
  describeGatewayContract,
  json,
  KeyServer,
  ScriptedUpstream,
} from 'shipping-query-service/testing';
import { CountModule } from '../src/count.module.js';
import { EnvelopeProtocol } from '../src/envelope.protocol.js';

const RECORD = { Id: 'SHP-1', OrderId: 'ORD-1', Status: 'delivered', TotalWeight: 2 };
const MALFORMED = { ...RECORD, TotalWeight: 'heavy' };

describeGatewayContract({
  protocol: EnvelopeProtocol,
  query: GetShippingInfoByIdQuery,
  params: (id) => ({ id }),
  text: 'SHP-1',
  externalPath: '/shippings/by-id/{text}',
  fullyValid: { data: RECORD },
  partlyInvalid: { data: MALFORMED },
  noMatch: json({}, { status: 404 }),
});
describeGatewayContract({
  protocol: EnvelopeProtocol,
  query: GetShippingDetailsQuery,
  params: (OrderId) => ({ OrderId }),
  text: 'ORD-1',
  externalPath: '/shippings/details',
  textParameter: 'OrderId',
  fullyValid: { data: { ShippingDetails: [RECORD] } },
  partlyInvalid: { data: { ShippingDetails: [RECORD, MALFORMED] } },
  noMatch: json({}),
});

describe('CountShippings', () => {
  let app: NestFastifyApplication;
  let keys: KeyServer;
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    keys = await KeyServer.start();
    upstream = await ScriptedUpstream.start();
    const env = { ...keys.env, EXTERNAL_SHIPPING_BASE_URL: upstream.url };
    app = await createTestingApp({ imports: [CountModule], protocol: EnvelopeProtocol, env });
    await app.init();
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
    await keys.close();
  });

  it('counts what the external system counts, for clients with a token', async () => {
    upstream.respondWith(json({ data: { Items: [RECORD], TotalCount: 7 } }));
    const url = '/api/Shipping/CountShippings?status=delivered';
    expect((await app.inject({ url })).statusCode).toBe(401);
    const response = await app.inject({ url, headers: bearer(await keys.sign()) });
    expect([response.headers['shipping-completeness'], response.json()]).toEqual(['complete', { count: 7 }]);
  });
});
