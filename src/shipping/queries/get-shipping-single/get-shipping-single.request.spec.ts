import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingSingleQuery } from './get-shipping-single.query';
import { singleRequest } from './get-shipping-single.request';

describeGatewayContract({
  params: (OrderId) => ({ OrderId }),
  request: singleRequest,
  query: GetShippingSingleQuery,
  externalPath: '/shippings/single',
  textParameter: 'OrderId',
});
