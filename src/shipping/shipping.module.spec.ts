import { Global, Module, type INestApplicationContext } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { fakeGateway } from '../../test/support/handlers';
import { callContext } from '../../test/support/units';
import { EXTERNAL_SYSTEM } from '../config/external-system';
import { readSettings, SETTINGS } from '../config/settings';
import { MetricsModule } from '../metrics/metrics.module';
import { ExternalShippingGateway } from './gateway/external-shipping.gateway';
import { PARTIAL } from './model/completeness';
import { GetShippingDetailsQuery } from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdQuery } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListQuery } from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleQuery } from './queries/get-shipping-single/get-shipping-single.query';
import { ShippingModule } from './shipping.module';

@Global()
@Module({
  providers: [
    { provide: SETTINGS, useValue: readSettings({}) },
    { provide: EXTERNAL_SYSTEM, useValue: { url: new URL('http://127.0.0.1:9') } },
  ],
  exports: [SETTINGS, EXTERNAL_SYSTEM],
})
class SurroundingsModule {}

describe('ShippingModule', () => {
  const answer = { body: {}, completeness: PARTIAL };
  const { gateway, calls } = fakeGateway(() => answer);
  let context: INestApplicationContext;

  beforeAll(async () => {
    const testing = Test.createTestingModule({ imports: [SurroundingsModule, MetricsModule, ShippingModule] });
    context = await testing.overrideProvider(ExternalShippingGateway).useValue(gateway).compile();
    await context.init();
  });
  afterAll(() => context.close());

  const id = { Id: 'SHP-1' };
  const page = { PageNumber: 1, PageSize: 10 };
  it.each([
    ['getShippingSingle', new GetShippingSingleQuery(id, callContext())],
    ['getShippingInfoById', new GetShippingInfoByIdQuery({ id: 'SHP-1' }, callContext())],
    ['getShippingDetails', new GetShippingDetailsQuery({}, callContext())],
    ['getShippingPagedList', new GetShippingPagedListQuery(page, callContext())],
  ])('takes a query through the bus to %s of the gateway, and its answer back', async (method, query) => {
    calls.length = 0;
    expect(await context.get(QueryBus).execute(query)).toBe(answer);
    expect(calls.map(([called]) => called)).toEqual([method]);
  });
});
