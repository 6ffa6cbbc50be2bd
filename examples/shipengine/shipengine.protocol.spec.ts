import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  GetShippingDetailsQuery,
  GetShippingInfoByIdQuery,
  GetShippingPagedListQuery,
  GetShippingSingleQuery,
  ShippingStatus,
} from 'shipping-query-service';
import { createTestingApp, describeGatewayContract, json } from 'shipping-query-service/testing';
import { ShipEngineProtocol } from './shipengine.protocol';
import { ShipEngineSystem, shipment } from './shipengine-system';

/** A shipment with two items. */
const SHIPMENT = { ...shipment(1), items: [1, 2].map(itemOf) };
const OTHER = shipment(2);
const pageOf = (...shipments: object[]): object => ({ shipments, total: shipments.length, page: 1, pages: 1 });

function itemOf(number: number): object {
  return { sales_order_id: 'SO-1', sales_order_item_id: `I-${number}`, sku: `LM-${number}`, name: 'Lamp', quantity: 4 };
}

/** What `SHIPMENT` means, as a record of a list. */
const LISTED = {
  id: 'se-1',
  orderId: 'SO-1',
  shippingAddress: 'Ada Smith, 1 Main Street, Boston TX 78701, US',
  trackingNumber: '940011',
  status: ShippingStatus.Created,
  statusDescription: 'Created',
  totalWeight: 0.007087,
  createdDate: '2026-07-01T09:00:00.000Z',
  isActive: true,
};
const OTHER_LISTED = {
  ...LISTED,
  id: 'se-2',
  orderId: 'SO-2',
  shippingAddress: 'Ada Smith, 2 Main Street, Québec TX 78701, US',
  trackingNumber: '940012',
  status: ShippingStatus.InTransit,
  statusDescription: 'InTransit',
  totalWeight: 0.0005,
  createdDate: '2026-07-01T08:00:00.000Z',
};
const DETAIL = {
  ...LISTED,
  // ShipEngine does not say who has changed a shipment, and not what one item weighs.
  createdBy: null,
  modifiedDate: '2026-07-01T09:30:00.000Z',
  modifiedBy: null,
  shippingItems: [1, 2].map((number) => {
    return { id: `I-${number}`, sku: `LM-${number}`, description: 'Lamp', quantity: 4, weight: null };
  }),
};
const MODIFIED = { ...SHIPMENT, modified_at: '2026-07-01T09:30:00Z' };
const MALFORMED = { ...MODIFIED, total_weight: 'heavy' };
const OF_ORDER = {
  protocol: ShipEngineProtocol,
  params: (OrderId: string) => ({ OrderId, PageNumber: 1, PageSize: 2 }),
  text: 'SO-1',
  externalPath: '/v1/shipments',
  textParameter: 'sales_order_id',
  fullyValid: pageOf(MODIFIED, OTHER),
  partlyInvalid: pageOf(MALFORMED, OTHER),
  noMatch: json(pageOf()),
  // ShipEngine has no shipments that were deleted.
  sameInAll: ['isActive'] as const,
};
/** The first of three pages. */
const FIRST = { total: 5, pages: 3 };

describeGatewayContract({ ...OF_ORDER, query: GetShippingSingleQuery, means: DETAIL });
describeGatewayContract({ ...OF_ORDER, query: GetShippingDetailsQuery, means: [LISTED, OTHER_LISTED] });
describeGatewayContract({
  ...OF_ORDER,
  query: GetShippingPagedListQuery,
  fullyValid: { ...pageOf(MODIFIED, OTHER), ...FIRST },
  partlyInvalid: { ...pageOf(MALFORMED, OTHER), ...FIRST },
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
  protocol: ShipEngineProtocol,
  query: GetShippingInfoByIdQuery,
  params: (id) => ({ id }),
  text: 'se-1',
  externalPath: '/v1/shipments/{text}',
  knowsIdentifiers: true,
  fullyValid: MODIFIED,
  means: DETAIL,
  partlyInvalid: MALFORMED,
  noMatch: json({ errors: [] }, { status: 404 }),
});

describe('the service on ShipEngine', () => {
  let system: ShipEngineSystem;
  let app: NestFastifyApplication;
  beforeAll(async () => {
    system = await ShipEngineSystem.start();
    const env = { EXTERNAL_SHIPPING_BASE_URL: system.url };
    app = await createTestingApp({ env, protocol: ShipEngineProtocol });
    await app.init();
  });
  afterAll(async () => {
    await app.close();
    await system.stop();
  });

  it.each([
    ['GetShippingPagedList', 137, 'se-1'],
    ['GetShippingPagedList?SortBy=CreatedDate&SortDirection=asc&PageSize=5', 137, 'se-137'],
    ['GetShippingPagedList?SortBy=Status&SortDirection=asc&PageNumber=2', 137, 'se-11'],
    ['GetShippingPagedList?Status=Cancelled&FromDate=2026-07-01', 5, 'se-3'],
    ['GetShippingPagedList?OrderId=none', 0, undefined],
  ])('D36 %s is a page of %i shipments in all', async (request, total, first) => {
    const response = await app.inject(`/api/Shipping/${request}`);
    const { totalCount, items } = response.json<{ totalCount: number; items: { id: string }[] }>();
    expect([response.headers['shipping-completeness'], totalCount, items[0]?.id]).toEqual(['complete', total, first]);
  });

  it.each([
    ['GetShippingDetails?Limit=120', 120],
    ['GetShippingDetails?SearchTerm=boston', 35],
    ['GetShippingDetails?Status=Created', 69],
    ['GetShippingDetails?Status=Delivered', 0],
    ['GetShippingDetails?FromDate=2026-07-01&ToDate=2026-07-01T08:00:00Z&Status=InTransit', 5],
  ])('D36 %s lists %i shipments', async (request, count) => {
    expect((await app.inject(`/api/Shipping/${request}`)).json()).toHaveLength(count);
  });

  it.each([
    'GetShippingInfoById/se-4',
    'GetShippingSingle?Id=se-4&Status=Created&FromDate=2026-07-01',
    'GetShippingSingle?TrackingNumber=940014',
  ])('D36 %s returns the record', async (request) => {
    expect((await app.inject(`/api/Shipping/${request}`)).json()).toMatchObject({
      id: 'se-4',
      shippingAddress: 'Ada Smith, 4 Main Street, Austin TX 78701, US',
      status: 'Created',
      totalWeight: 0.453592,
      shippingItems: [{ id: '4-1', sku: 'LM-1', quantity: 1 }],
    });
  });

  it.each([
    ['GetShippingInfoById/se-999', 404],
    ['GetShippingSingle?Id=se-4&Status=Cancelled', 404],
    ['GetShippingPagedList?Status=Created', 400],
    ['GetShippingPagedList?SearchTerm=boston', 400],
  ])('D36 %s is %i', async (request, status) => {
    expect((await app.inject(`/api/Shipping/${request}`)).statusCode).toBe(status);
  });
});
