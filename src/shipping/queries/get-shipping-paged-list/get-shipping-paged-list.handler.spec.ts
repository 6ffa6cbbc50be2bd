import { Test } from '@nestjs/testing';
import { timedOut } from '../../../resilience/http-failures';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { jobContext } from '../../model/query-context';
import { COMPLETE } from '../../model/query-result';
import { GetShippingPagedListHandler } from './get-shipping-paged-list.handler';
import { GetShippingPagedListQuery } from './get-shipping-paged-list.query';

describe('GetShippingPagedListHandler', () => {
  const gateway = { page: jest.fn() };
  const params = { PageNumber: 3, PageSize: 7 };
  let handler: GetShippingPagedListHandler;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [GetShippingPagedListHandler, { provide: ExternalShippingGateway, useValue: gateway }],
    }).compile();
    handler = module.get(GetShippingPagedListHandler);
  });

  it('D8 requests the page with normalised sorting', async () => {
    const result = { body: { items: [] }, completeness: COMPLETE };
    gateway.page.mockResolvedValueOnce(result);
    const query = new GetShippingPagedListQuery({ ...params, SortBy: 'status', SortDirection: 'ASC' }, jobContext());
    expect(await handler.execute(query)).toBe(result);
    const parameters = { ...params, SortBy: 'Status', SortDirection: 'asc' };
    expect(gateway.page).toHaveBeenLastCalledWith(expect.objectContaining({ parameters }), query.context);
  });

  it('D20 returns an empty page where the external system fails, but throws for strict clients', async () => {
    gateway.page.mockRejectedValue(timedOut());
    expect(await handler.execute(new GetShippingPagedListQuery(params, jobContext()))).toMatchObject({
      body: { items: [], totalCount: 0, pageNumber: 3, pageSize: 7, hasNextPage: false },
      completeness: { level: 'unavailable', reason: 'upstream-timeout' },
    });
    const strict = new GetShippingPagedListQuery(params, jobContext({ strict: true }));
    await expect(handler.execute(strict)).rejects.toMatchObject({ reason: 'upstream-timeout' });
  });
});
