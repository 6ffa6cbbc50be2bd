import { Global, Logger, Module, type INestApplicationContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { QueryBus } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { fakeGateway } from '../../test/support/handlers';
import { callContext } from '../../test/support/units';
import { EXTERNAL_SYSTEM } from '../config/external-system';
import { readSettings, SETTINGS } from '../config/settings';
import { MetricsModule } from '../metrics/metrics.module';
import { ExternalShippingGateway } from './gateway/external-shipping.gateway';
import type { CallContext } from './model/call-context';
import { PARTIAL } from './model/completeness';
import { ExternalSystemFailure } from './model/external-system-failure';
import { Asks } from './pipeline/asks.decorator';
import { GetShippingDetailsQuery } from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdQuery } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListQuery } from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleQuery } from './queries/get-shipping-single/get-shipping-single.query';
import { ShippingListQuery, type QueryType } from './queries/shipping-query';
import { ShippingController } from './shipping.controller';
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

/** Where `@ApiExcludeEndpoint` leaves its mark. */
const LEFT_OUT_OF_DOCUMENT = 'swagger/apiExcludeEndpoint';

describe('ShippingModule', () => {
  const answer = { body: {}, completeness: PARTIAL };
  let act: () => unknown = () => answer;
  const { gateway, calls } = fakeGateway(() => act());
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

  const operations = Object.getOwnPropertyNames(ShippingController.prototype).filter((name) => name !== 'constructor');
  const asked = operations.map((name) => Reflect.getMetadata(Asks.KEY, Reflect.get(ShippingController.prototype, name) as object) as QueryType | undefined); // prettier-ignore
  const queries = asked.filter((query) => query !== undefined);

  it('asks the four queries of the specification, at least', () => {
    expect(queries).toEqual(expect.arrayContaining([GetShippingSingleQuery, GetShippingInfoByIdQuery, GetShippingDetailsQuery, GetShippingPagedListQuery])); // prettier-ignore
  });

  it('has no route that asks nothing, but those that the document leaves out', () => {
    const routes = operations.map((name) => Reflect.get(ShippingController.prototype, name) as object);
    const silent = routes.filter((route) => Reflect.hasMetadata(PATH_METADATA, route) && !Reflect.hasMetadata(Asks.KEY, route)); // prettier-ignore
    expect(silent.filter((route) => !Reflect.hasMetadata(LEFT_OUT_OF_DOCUMENT, route))).toEqual([]);
    expect(silent).toHaveLength(1);
  });

  type ListQuery = new (params: object, context: CallContext) => ShippingListQuery<object, unknown>;
  const lists = queries.filter((query) => query.prototype instanceof ShippingListQuery) as unknown as ListQuery[];

  it.each(lists.map((query) => [query.name, query] as const))(
    'spec: failure behaviour 1, 2 and 3: %s is answered with its empty body, whatever fails',
    async (_, ListQuery) => {
      jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      for (const error of [new ExternalSystemFailure('upstream-error', 'failed'), new TypeError('a mistake')]) {
        act = () => {
          throw error;
        };
        const query = new ListQuery({}, callContext());
        expect(await context.get(QueryBus).execute(query)).toMatchObject({ body: query.emptyBody() });
        const strict = new ListQuery({}, callContext({ strict: true }));
        await expect(context.get(QueryBus).execute(strict)).rejects.toBe(error);
      }
    },
  );
});
