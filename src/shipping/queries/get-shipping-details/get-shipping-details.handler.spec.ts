import { Test } from '@nestjs/testing';
import { timedOut } from '../../../resilience/http-failures';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { jobContext } from '../../model/query-context';
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

  it('requests the records, and returns what the gateway does', async () => {
    const result = { body: [], completeness: { level: 'complete', limit: 20 } };
    gateway.list.mockResolvedValueOnce(result);
    const query = new GetShippingDetailsQuery({ SearchTerm: 'Berlin', Limit: 20 }, jobContext());
    expect(await handler.execute(query)).toBe(result);
    const request = {
      operation: expect.objectContaining({ name: 'details' }),
      parameters: { SearchTerm: 'Berlin', Limit: 20 },
    };
    expect(gateway.list).toHaveBeenLastCalledWith(expect.objectContaining(request), query.context);
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
