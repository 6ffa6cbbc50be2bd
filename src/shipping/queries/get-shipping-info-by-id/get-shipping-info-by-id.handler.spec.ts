import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingInfoByIdQuery, infoByIdRequest } from './get-shipping-info-by-id.query';

describeGatewayContract({
  call: 'record',
  params: (id) => ({ id }),
  request: infoByIdRequest,
  query: GetShippingInfoByIdQuery,
  externalPath: '/shippings/by-id/{text}',
});
