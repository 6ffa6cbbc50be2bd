import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingDetailsQuery } from './get-shipping-details.query';
import { detailsRequest } from './get-shipping-details.request';

describeGatewayContract({
  params: (SearchTerm) => ({ SearchTerm }),
  request: detailsRequest,
  query: GetShippingDetailsQuery,
  externalPath: '/shippings/details',
  textParameter: 'SearchTerm',
});
