import { Test } from '@nestjs/testing';
import { timedOut } from '../../../resilience/http-failures';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { jobContext } from '../../model/query-context';
import { COMPLETE, PARTIAL, type Completeness } from '../../model/query-result';
import { GetShippingDetailsHandler } from './get-shipping-details.handler';
import { GetShippingDetailsQuery } from './get-shipping-details.query';

describe('GetShippingDetailsHandler', () => {
  const gateway = { list: jest.fn() };
  let handler: GetShippingDetailsHandler;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [GetShippingDetailsHandler, { provide: ExternalShippingGateway, useValue: gateway }],
    }).compile();
    handler = module.get(GetShippingDetailsHandler);
  });

  it.each<[number, number | undefined, Completeness, Completeness]>([
    [1, 2, COMPLETE, COMPLETE],
    [2, 2, COMPLETE, { level: 'complete', limit: 2 }],
    [2, 2, PARTIAL, PARTIAL],
    [100, undefined, COMPLETE, { level: 'complete', limit: 100 }],
    [101, undefined, COMPLETE, COMPLETE],
  ])('D31 %d records with the Limit %p: %j becomes %j', async (count, Limit, completeness, expected) => {
    const body = new Array(count).fill({ id: 'SHP-1' });
    gateway.list.mockResolvedValueOnce({ body, completeness });
    const result = await handler.execute(new GetShippingDetailsQuery({ Limit }, jobContext()));
    expect(result).toEqual({ body, completeness: expected });
  });

  it('D31 requests 10,000 records at most', async () => {
    gateway.list.mockResolvedValueOnce({ body: [], completeness: COMPLETE });
    const query = new GetShippingDetailsQuery({ SearchTerm: 'Berlin', Limit: 10_001 }, jobContext());
    await handler.execute(query);
    const parameters = { SearchTerm: 'Berlin', Limit: 10_000 };
    expect(gateway.list).toHaveBeenLastCalledWith(expect.objectContaining({ parameters }), query.context);
  });

  it('D20 returns an empty list where the external system fails, but throws for strict clients', async () => {
    gateway.list.mockRejectedValue(timedOut());
    expect(await handler.execute(new GetShippingDetailsQuery({}, jobContext()))).toEqual({
      body: [],
      completeness: { level: 'unavailable', reason: 'upstream-timeout', cause: timedOut().message },
    });
    const strict = new GetShippingDetailsQuery({}, jobContext({ strict: true }));
    await expect(handler.execute(strict)).rejects.toMatchObject({ reason: 'upstream-timeout' });
  });
});
