import { Injectable } from '@nestjs/common';
import { wrongShape } from '../src/resilience/http-failures';
import {
  bodyOf,
  toLookupItems,
  toPagedList,
  toShippingDetail,
} from '../src/shipping/gateway/protocol/response-mapping';
import {
  ShippingProtocol,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../src/shipping/gateway/protocol/shipping-protocol';
import type { UpstreamObject } from '../src/shipping/gateway/protocol/value-reader';
import { NO_MATCH, type QueryResult } from '../src/shipping/model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../src/shipping/model/response-bodies';
import {
  detailsRequest,
  GetShippingDetailsQuery,
} from '../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import {
  GetShippingPagedListQuery,
  pagedListRequest,
} from '../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import {
  GetShippingSingleQuery,
  singleRequest,
} from '../src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { describeGatewayContract } from './support/gateway-contract';
import { wireRecord } from './support/upstream/records';
import { json } from './support/upstream/responses';

/** For a system whose lists are bare arrays with the total in `X-Total`, that searches pages only and has an archive. */
@Injectable()
class BareListProtocol extends ShippingProtocol {
  async record({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const records = recordsIn(await send({ path: '/orders' }));
    const found = records.find(({ OrderId }) => OrderId === parameters.OrderId);
    return found === undefined ? NO_MATCH : toShippingDetail(found);
  }

  async list({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const records = [...recordsIn(await send({ path: '/orders' })), ...recordsIn(await send({ path: '/archive' }))];
    const { SearchTerm = '' } = parameters;
    return toLookupItems({
      ShippingDetails: records.filter(({ ShippingAddress }) => String(ShippingAddress).includes(SearchTerm)),
    });
  }

  async page({ parameters = {} }: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const { PageNumber: page, PageSize: size, SearchTerm: q } = parameters;
    const response = await send({ path: '/orders', query: { page, size, q } });
    return toPagedList({ Items: recordsIn(response), TotalCount: Number(response.headers['x-total']) }, parameters);
  }
}

function recordsIn(response: UpstreamResponse): UpstreamObject[] {
  const body = bodyOf(response);
  if (!Array.isArray(body)) throw wrongShape('The list is no array');
  return body as UpstreamObject[];
}

const MALFORMED = wireRecord({ TotalWeight: 'heavy' });
const WIRE = {
  protocol: BareListProtocol,
  sound: [wireRecord()],
  partlyInvalid: [wireRecord(), MALFORMED],
  noMatch: json([], { headers: { 'X-Total': '0' } }),
};

describeGatewayContract({
  params: (SearchTerm) => ({ PageNumber: 1, PageSize: 7, SearchTerm }),
  call: 'page',
  request: pagedListRequest,
  query: GetShippingPagedListQuery,
  externalPath: '/orders',
  textParameter: 'q',
  wire: { ...WIRE, headers: { 'X-Total': '1' } },
});

describeGatewayContract({
  params: (SearchTerm) => ({ SearchTerm }),
  call: 'list',
  request: detailsRequest,
  query: GetShippingDetailsQuery,
  externalPath: '/orders',
  wire: { ...WIRE, requests: 2, text: 'Storgatan' },
});

describeGatewayContract({
  params: (OrderId) => ({ OrderId }),
  call: 'record',
  request: singleRequest,
  query: GetShippingSingleQuery,
  externalPath: '/orders',
  wire: { ...WIRE, partlyInvalid: [MALFORMED], text: 'ORD-1001' },
});
