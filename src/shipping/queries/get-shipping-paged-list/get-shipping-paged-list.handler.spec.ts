import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { GetShippingPagedListQuery, pagedListRequest } from './get-shipping-paged-list.query';

describeGatewayContract({
  call: 'page',
  params: (SearchTerm) => ({ PageNumber: 3, PageSize: 7, SearchTerm }),
  request: pagedListRequest,
  query: GetShippingPagedListQuery,
  externalPath: '/shippings/paged',
  textParameter: 'SearchTerm',
});
