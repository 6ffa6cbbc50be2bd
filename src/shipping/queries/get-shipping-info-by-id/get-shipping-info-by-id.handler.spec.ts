import { Test } from '@nestjs/testing';
import { timedOut } from '../../../resilience/http-failures';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { jobContext } from '../../model/query-context';
import { COMPLETE, NO_MATCH } from '../../model/query-result';
import { ShippingNotFoundException } from '../../model/shipping-exceptions';
import { GetShippingInfoByIdHandler } from './get-shipping-info-by-id.handler';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id.query';

describe('GetShippingInfoByIdHandler', () => {
  const gateway = { record: jest.fn() };
  const query = new GetShippingInfoByIdQuery({ id: 'SHP-1' }, jobContext());
  let handler: GetShippingInfoByIdHandler;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      providers: [GetShippingInfoByIdHandler, { provide: ExternalShippingGateway, useValue: gateway }],
    }).compile();
    handler = module.get(GetShippingInfoByIdHandler);
  });

  it('looks up the record by its identifier', async () => {
    const result = { body: { id: 'SHP-1' }, completeness: COMPLETE };
    gateway.record.mockResolvedValueOnce(result);
    expect(await handler.execute(query)).toBe(result);
    const [request, context] = gateway.record.mock.lastCall ?? [];
    expect(request).toMatchObject({ operation: { name: 'by-id' }, id: 'SHP-1' });
    expect(context).toBe(query.context);
  });

  it('D15 throws "not found" where no record matches', async () => {
    gateway.record.mockResolvedValueOnce(NO_MATCH);
    await expect(handler.execute(query)).rejects.toBeInstanceOf(ShippingNotFoundException);
  });

  it('D15 throws the failure of the external system', async () => {
    gateway.record.mockRejectedValueOnce(timedOut());
    await expect(handler.execute(query)).rejects.toMatchObject({ reason: 'upstream-timeout' });
  });
});
