import {
  detailsRequest,
  GetShippingDetailsQuery,
} from '../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import {
  GetShippingInfoByIdQuery,
  infoByIdRequest,
} from '../../src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import {
  GetShippingPagedListQuery,
  pagedListRequest,
} from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import {
  GetShippingSingleQuery,
  singleRequest,
} from '../../src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { describeGatewayContract } from '../../test/support/gateway-contract';
import { RunningService } from '../../test/support/service';
import { json } from '../../test/support/upstream/responses';
import { FreightlineSystem, shipment } from './freightline-system';
import { FreightlineProtocol } from './freightline.protocol';

const protocol = FreightlineProtocol;
const MALFORMED = { ...shipment(2), weight_kg: 'heavy' };
const LIST = {
  protocol,
  sound: { data: [shipment(1)], meta: { total: 1, page: 0, per_page: 50 } },
  otherSpellings: [],
  partlyInvalid: { data: [shipment(1), MALFORMED], meta: { total: 2, page: 0, per_page: 50 } },
  noMatch: json({ data: [], meta: { total: 0, page: 0, per_page: 1 } }),
};

describeGatewayContract({
  params: (id) => ({ id }),
  call: 'record',
  request: infoByIdRequest,
  query: GetShippingInfoByIdQuery,
  externalPath: '/v2/shipments/{text}',
  wire: {
    ...LIST,
    sound: { data: shipment(1) },
    partlyInvalid: { data: MALFORMED },
    noMatch: json({ error: { code: 'shipment_not_found' } }, { status: 404 }),
  },
});

describeGatewayContract({
  params: (OrderId) => ({ OrderId }),
  call: 'record',
  request: singleRequest,
  query: GetShippingSingleQuery,
  externalPath: '/v2/shipments',
  textParameter: 'order_no',
  wire: { ...LIST, partlyInvalid: { ...LIST.partlyInvalid, data: [MALFORMED] } },
});

describeGatewayContract({
  params: (SearchTerm) => ({ SearchTerm }),
  call: 'list',
  request: detailsRequest,
  query: GetShippingDetailsQuery,
  externalPath: '/v2/shipments',
  textParameter: 'q',
  wire: LIST,
});

describeGatewayContract({
  params: (SearchTerm) => ({ PageNumber: 1, PageSize: 7, SearchTerm }),
  call: 'page',
  request: pagedListRequest,
  query: GetShippingPagedListQuery,
  externalPath: '/v2/shipments',
  textParameter: 'q',
  wire: LIST,
});

describe('the service on Freightline', () => {
  let system: FreightlineSystem;
  let service: RunningService;

  beforeAll(async () => {
    system = await FreightlineSystem.start();
    service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: system.url }, { protocol });
  });
  afterAll(async () => {
    await service.close();
    await system.stop();
  });

  const idsOf = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => shipment(from + index).shipment_id);

  it.each([
    ['GetShippingPagedList?SortBy=TrackingNumber&SortDirection=asc', idsOf(1, 10)],
    ['GetShippingPagedList?SortBy=TrackingNumber&SortDirection=asc&PageNumber=14', idsOf(131, 137)],
    ['GetShippingPagedList?SortBy=TrackingNumber&SortDirection=asc&PageSize=100', idsOf(1, 100)],
    ['GetShippingPagedList?SortBy=TrackingNumber&SortDirection=asc&PageSize=97&PageNumber=2', idsOf(98, 137)],
    ['GetShippingPagedList?SortBy=TrackingNumber&SortDirection=asc&PageSize=60&PageNumber=2', idsOf(61, 120)],
    ['GetShippingPagedList?PageNumber=1000', []],
  ])('D36 %s returns the page', async (request, expected) => {
    const response = await service.request(request);
    const { items, totalCount } = response.json() as { items: { id: string }[]; totalCount: number };
    expect(items.map(({ id }) => id)).toEqual(expected);
    expect(totalCount).toBe(137);
    expect(response.headers['shipping-completeness']).toBe('complete');
  });

  it.each([
    ['GetShippingDetails?Limit=70', 70],
    ['GetShippingDetails?Status=Delivered&Limit=70', 28],
    ['GetShippingDetails?SearchTerm=bergen', 35],
    ['GetShippingDetails?FromDate=2026-07-01', 19],
  ])('D36 %s returns the list', async (request, count) => {
    expect((await service.request(request)).json()).toHaveLength(count);
  });

  it.each(['GetShippingInfoById/FL-0003', 'GetShippingSingle?OrderId=PO-0003', 'GetShippingSingle?Id=FL-0003'])(
    'D36 %s returns the record',
    async (request) => {
      expect((await service.request(request)).json()).toMatchObject({
        id: 'FL-0003',
        status: 'Cancelled',
        totalWeight: 0.75,
        isActive: true,
        shippingItems: [{ id: 'FL-0003-1', sku: 'PALLET', quantity: 1 }],
      });
    },
  );

  it.each(['GetShippingInfoById/FL-9999', 'GetShippingSingle?OrderId=PO-9999'])(
    'D36 %s is not found',
    async (request) => {
      expect((await service.request(request)).status).toBe(404);
    },
  );

  it('D18 another 404, such as that of a wrong base URL, is a failure', async () => {
    const elsewhere = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: `${system.url}/wrong` }, { protocol });
    expect((await elsewhere.request('GetShippingInfoById/FL-0001')).status).toBe(500);
    await elsewhere.close();
  });
});
