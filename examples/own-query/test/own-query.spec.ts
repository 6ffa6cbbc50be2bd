import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GetShippingDetailsQuery, GetShippingInfoByIdQuery, ShippingStatus } from 'shipping-query-service';
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
const OTHER = { Id: 'SHP-2', OrderId: 'ORD-1', Status: 'in_transit', TotalWeight: 3, IsDeleted: true };
/** What the records mean; a field that they lack is `null`. */
const LISTED = {
  id: 'SHP-1',
  orderId: 'ORD-1',
  shippingAddress: null,
  trackingNumber: null,
  status: ShippingStatus.Delivered,
  statusDescription: 'Delivered',
  totalWeight: 2,
  createdDate: null,
  isActive: true,
};
const STATUS = { status: ShippingStatus.InTransit, statusDescription: 'InTransit' };
const OTHER_LISTED = { ...LISTED, ...STATUS, id: 'SHP-2', totalWeight: 3, isActive: false };

describeGatewayContract({
  protocol: EnvelopeProtocol,
  query: GetShippingInfoByIdQuery,
  params: (id) => ({ id }),
  text: 'SHP-1',
  externalPath: '/shippings/by-id/{text}',
  fullyValid: { data: RECORD },
  means: { ...LISTED, createdBy: null, modifiedDate: null, modifiedBy: null, shippingItems: [] },
  partlyInvalid: { data: { ...RECORD, TotalWeight: 'heavy' } },
  noMatch: json({}, { status: 404 }),
});
describeGatewayContract({
  protocol: EnvelopeProtocol,
  query: GetShippingDetailsQuery,
  params: (OrderId) => ({ OrderId }),
  text: 'ORD-1',
  externalPath: '/shippings/details',
  textParameter: 'OrderId',
  fullyValid: { data: { ShippingDetails: [RECORD, OTHER] } },
  means: [LISTED, OTHER_LISTED],
  partlyInvalid: { data: { ShippingDetails: [RECORD, { ...OTHER, TotalWeight: 'heavy' }] } },
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
