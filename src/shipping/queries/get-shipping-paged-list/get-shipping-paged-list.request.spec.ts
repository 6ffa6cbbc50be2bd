import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingPagedListQuery } from './get-shipping-paged-list.query';
import { pagedListRequest } from './get-shipping-paged-list.request';

describeGatewayContract({
  params: (SearchTerm) => ({ PageNumber: 3, PageSize: 7, SearchTerm }),
  request: pagedListRequest,
  query: GetShippingPagedListQuery,
  externalPath: '/shippings/paged',
  textParameter: 'SearchTerm',
});
