import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id.query';
import { infoByIdRequest } from './get-shipping-info-by-id.request';

describeGatewayContract({
  params: (id) => ({ id }),
  request: infoByIdRequest,
  query: GetShippingInfoByIdQuery,
  externalPath: '/shippings/by-id/{text}',
});
