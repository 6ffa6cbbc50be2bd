import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { describeList } from '../../../../test/support/handlers';
import { GetShippingDetailsHandler } from './get-shipping-details.handler';
import { detailsRequest, GetShippingDetailsQuery } from './get-shipping-details.query';

const PARAMS = { SearchTerm: 'Berlin', Limit: 3 };

describe('GetShippingDetailsHandler', () => {
  describeList({
    expected: { call: 'list', operation: 'details', parameters: PARAMS },
    emptyBody: [],
    query: (context) => new GetShippingDetailsQuery(PARAMS, context),
    handler: (gateway) => new GetShippingDetailsHandler(gateway),
  });
});

describeGatewayContract({
  call: 'list',
  params: (SearchTerm) => ({ SearchTerm }),
  request: detailsRequest,
  query: GetShippingDetailsQuery,
  externalPath: '/shippings/details',
  textParameter: 'SearchTerm',
});
