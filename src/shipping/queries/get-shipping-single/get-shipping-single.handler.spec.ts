import { Test } from '@nestjs/testing';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { jobContext } from '../../model/query-context';
import { COMPLETE, NO_MATCH } from '../../model/query-result';
import { ShippingNotFoundException } from '../../model/shipping-exceptions';
import { GetShippingSingleHandler } from './get-shipping-single.handler';
import { GetShippingSingleQuery } from './get-shipping-single.query';

describe('GetShippingSingleHandler', () => {
  const gateway = { record: jest.fn() };
  const query = new GetShippingSingleQuery({ OrderId: 'ORD-1' }, jobContext());
  let handler: GetShippingSingleHandler;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [GetShippingSingleHandler, { provide: ExternalShippingGateway, useValue: gateway }],
    }).compile();
    handler = module.get(GetShippingSingleHandler);
  });

  it('D11 looks up the record by its criteria', async () => {
    const result = { body: { id: 'SHP-1' }, completeness: COMPLETE };
    gateway.record.mockResolvedValueOnce(result);
    expect(await handler.execute(query)).toBe(result);
    const [request, context] = gateway.record.mock.lastCall ?? [];
    expect(request).toMatchObject({ operation: { name: 'single' }, parameters: { OrderId: 'ORD-1' } });
    expect(context).toBe(query.context);
  });

  it('D15 throws "not found" where no record matches', async () => {
    gateway.record.mockResolvedValueOnce(NO_MATCH);
    await expect(handler.execute(query)).rejects.toBeInstanceOf(ShippingNotFoundException);
  });
});
