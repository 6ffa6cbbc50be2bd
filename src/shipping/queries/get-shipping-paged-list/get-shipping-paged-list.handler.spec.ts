import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { describeList, fakeGateway } from '../../../../test/support/handlers';
import { callContext } from '../../../../test/support/units';
import { GetShippingPagedListHandler } from './get-shipping-paged-list.handler';
import {
  GetShippingPagedListParams,
  GetShippingPagedListQuery,
  pagedListRequest,
} from './get-shipping-paged-list.query';

const params = (values: Partial<GetShippingPagedListParams>): GetShippingPagedListParams =>
  Object.assign(new GetShippingPagedListParams(), values);
const PARAMS = params({ PageNumber: 3, PageSize: 7, SearchTerm: 'Berlin', SortBy: 'status', SortDirection: 'ASC' });

describe('GetShippingPagedListHandler', () => {
  describeList({
    expected: {
      call: 'page',
      operation: 'paged',
      parameters: { PageNumber: 3, PageSize: 7, SearchTerm: 'Berlin', SortBy: 'Status', SortDirection: 'asc' },
    },
    // Failure behaviour 2: page number and size echo the request.
    emptyBody: {
      items: [],
      totalCount: 0,
      pageNumber: 3,
      pageSize: 7,
      totalPages: 0,
      hasPreviousPage: false,
      hasNextPage: false,
    },
    query: (context) => new GetShippingPagedListQuery(PARAMS, context),
    handler: (gateway) => new GetShippingPagedListHandler(gateway),
  });

  it('D8 D16 always sends page, size and a normalised sorting', async () => {
    const { gateway, calls } = fakeGateway();
    const handler = new GetShippingPagedListHandler(gateway);
    await handler.execute(new GetShippingPagedListQuery(params({}), callContext()));
    await handler.execute(new GetShippingPagedListQuery(params({ SortBy: '', SortDirection: 'asc' }), callContext()));
    expect(calls.map(({ parameters }) => parameters)).toEqual([
      { PageNumber: 1, PageSize: 10, SortBy: 'CreatedDate', SortDirection: 'desc' },
      { PageNumber: 1, PageSize: 10, SortBy: 'CreatedDate', SortDirection: 'desc' },
    ]);
  });
});

describeGatewayContract({
  call: 'page',
  params: (SearchTerm) => ({ PageNumber: 3, PageSize: 7, SearchTerm }),
  request: pagedListRequest,
  query: GetShippingPagedListQuery,
  externalPath: '/shippings/paged',
  textParameter: 'SearchTerm',
});
