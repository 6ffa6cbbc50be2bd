import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingSingleQuery, singleRequest } from './get-shipping-single.query';

describeGatewayContract({
  call: 'record',
  params: (OrderId) => ({ OrderId }),
  request: singleRequest,
  query: GetShippingSingleQuery,
  externalPath: '/shippings/single',
  textParameter: 'OrderId',
});
