import { GetShippingInfoByIdQuery, type ShippingDetail, StandardProtocol } from '../../src';
import { status } from '../../testing';
import type { GatewayContract } from '../../testing/gateway-contract';
import { mappedRecord, wireRecord } from '../../testing/upstream/records';

/** What the contract suite of the gateway needs to know of the lookup by identifier. */
export const LOOKUP_CONTRACT: GatewayContract<{ id: string }, ShippingDetail> = {
  protocol: StandardProtocol,
  query: GetShippingInfoByIdQuery,
  params: (id) => ({ id }),
  text: 'SHP-1',
  externalPath: '/shippings/by-id/{text}',
  fullyValid: wireRecord({ Id: 'SHP-1' }),
  means: mappedRecord({ body: 'record' }) as unknown as ShippingDetail,
  partlyInvalid: wireRecord({ Id: 'SHP-1', TotalWeight: 'heavy' }),
  noMatch: status(404),
};
