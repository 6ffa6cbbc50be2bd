import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  GetShippingDetailsQuery,
  GetShippingInfoByIdQuery,
  GetShippingPagedListQuery,
  GetShippingSingleQuery,
  ShippingStatus,
} from 'shipping-query-service';
import { createTestingApp, describeGatewayContract, json } from 'shipping-query-service/testing';
import { CursorCarrierProtocol } from './cursor-carrier.protocol';
import { CursorCarrierSystem, parcel } from './cursor-carrier-system';

const listOf = (...data: object[]): object => ({ data, next: null });
const FOUND = { ...parcel(1), reference: 'ORD-1' };
const OTHER = { ...parcel(2), reference: 'ORD-1' };
const MALFORMED = { ...FOUND, grams: 'heavy' };
/** What `FOUND` means, as a record of a list. */
const LISTED = {
  id: 'P1',
  orderId: 'ORD-1',
  shippingAddress: 'Ada Smith, 1 Main Street, Bergen',
  trackingNumber: 'CC1001',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 0.01,
  createdDate: '2026-07-01T08:00:00.000Z',
  isActive: true,
};
const OTHER_LISTED = {
  ...LISTED,
  id: 'P2',
  shippingAddress: 'Ada Smith, 2 Main Street, Göteborg',
  trackingNumber: 'CC1002',
  status: ShippingStatus.Delivered,
  statusDescription: 'Delivered',
  totalWeight: 0.02,
  createdDate: '2026-07-01T07:00:00.000Z',
};
/** The carrier has neither names nor changes nor items. */
const DETAIL = { ...LISTED, createdBy: null, modifiedDate: null, modifiedBy: null, shippingItems: [] };
const OF_ORDER = {
  protocol: CursorCarrierProtocol,
  params: (OrderId: string) => ({ OrderId, PageNumber: 1, PageSize: 2 }),
  text: 'ORD-1',
  externalPath: '/v1/parcels',
  fullyValid: listOf(FOUND, OTHER),
  partlyInvalid: listOf(MALFORMED, OTHER),
  noMatch: json(listOf()),
  // The carrier keeps no parcels that were deleted.
  sameInAll: ['isActive'] as const,
};
/** With parcels of the pages behind the first. */
const MORE = [3, 4, 5].map((number) => ({ ...parcel(number), reference: 'ORD-1' }));

describeGatewayContract({ ...OF_ORDER, query: GetShippingSingleQuery, means: DETAIL });
describeGatewayContract({ ...OF_ORDER, query: GetShippingDetailsQuery, means: [LISTED, OTHER_LISTED] });
describeGatewayContract({
  ...OF_ORDER,
  query: GetShippingPagedListQuery,
  fullyValid: listOf(FOUND, OTHER, ...MORE),
  partlyInvalid: listOf(MALFORMED, OTHER, ...MORE),
  means: {
    items: [LISTED, OTHER_LISTED].map((item) => ({ ...item, createdBy: null })),
    totalCount: 5,
    pageNumber: 1,
    pageSize: 2,
    totalPages: 3,
    hasPreviousPage: false,
    hasNextPage: true,
  },
});
describeGatewayContract({
  protocol: CursorCarrierProtocol,
  query: GetShippingInfoByIdQuery,
  params: (id) => ({ id }),
  text: 'P1',
  externalPath: '/v1/parcels/{text}',
  fullyValid: FOUND,
  means: DETAIL,
  partlyInvalid: MALFORMED,
  noMatch: json({ error: 'unknown parcel' }, { status: 404 }),
});

/** Starts the service on a carrier with so many parcels, for the tests of a suite. */
function useCarrier(count: number, log?: (line: string) => unknown): () => NestFastifyApplication {
  let system: CursorCarrierSystem;
  let app: NestFastifyApplication;
  beforeAll(async () => {
    system = await CursorCarrierSystem.start(count);
    const env = { EXTERNAL_SHIPPING_BASE_URL: system.url };
    app = await createTestingApp({ env, protocol: CursorCarrierProtocol, log });
    await app.init();
  });
  afterAll(async () => {
    await app.close();
    await system.stop();
  });
  return () => app;
}

describe('the service on a carrier with a cursor and no total', () => {
  const service = useCarrier(500);

  it.each([
    ['GetShippingPagedList', 500, 'P1'],
    ['GetShippingPagedList?PageNumber=50', 500, 'P491'],
    ['GetShippingPagedList?SortBy=CreatedDate&SortDirection=asc', 500, 'P500'],
    ['GetShippingPagedList?Status=Delivered&PageSize=5&PageNumber=2', 100, 'P27'],
    ['GetShippingPagedList?SearchTerm=bergen', 167, 'P1'],
    ['GetShippingPagedList?OrderId=none', 0, undefined],
  ])('D36 %s is a page of %i parcels in all', async (request, total, first) => {
    const response = await service().inject(`/api/Shipping/${request}`);
    const { totalCount, items } = response.json<{ totalCount: number; items: { id: string }[] }>();
    expect([response.headers['shipping-completeness'], totalCount, items[0]?.id]).toEqual(['complete', total, first]);
  });

  it.each([
    ['GetShippingDetails?Limit=120', 120],
    ['GetShippingDetails?Status=Unknown', 100],
  ])('D36 %s lists %i parcels', async (request, count) => {
    expect((await service().inject(`/api/Shipping/${request}`)).json()).toHaveLength(count);
  });

  it.each([
    ['GetShippingInfoById/P4', 200],
    ['GetShippingSingle?TrackingNumber=CC1004', 200],
    ['GetShippingSingle?Id=P4&Status=Created', 404],
    ['GetShippingInfoById/P999', 404],
  ])('D36 %s is %i', async (request, status) => {
    expect((await service().inject(`/api/Shipping/${request}`)).statusCode).toBe(status);
  });
});

describe('the service on a carrier with more parcels than one call may read', () => {
  const lines: string[] = [];
  const service = useCarrier(501, (line) => lines.push(line));

  it('D36 refuses the page whose total it cannot know, and lists what it can', async () => {
    const page = await service().inject('/api/Shipping/GetShippingPagedList');
    expect(page.headers['shipping-completeness']).toBe('unavailable;reason=internal');
    expect(lines.join()).toContain('"cause":"the list needs more than 5 requests"');
    const list = await service().inject('/api/Shipping/GetShippingDetails?Limit=400');
    expect(list.headers['shipping-completeness']).toBe('complete;limit=400');
  });
});
