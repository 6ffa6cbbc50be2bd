import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { detailsRequest, GetShippingDetailsQuery } from './get-shipping-details.query';

describeGatewayContract({
  call: 'list',
  params: (SearchTerm) => ({ SearchTerm }),
  request: detailsRequest,
  query: GetShippingDetailsQuery,
  externalPath: '/shippings/details',
  textParameter: 'SearchTerm',
});
