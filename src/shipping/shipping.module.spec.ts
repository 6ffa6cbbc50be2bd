import { Global, Logger, Module, type INestApplicationContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { QueryBus } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { fakeGateway } from '../../test/support/handlers';
import { callContext } from '../../test/support/units';
import { EXTERNAL_SYSTEM } from '../config/external-system';
import { readSettings, SETTINGS } from '../config/settings';
import { MetricsModule } from '../observability/metrics/metrics.module';
import { ExternalShippingGateway } from './gateway/external-shipping.gateway';
import { ExternalSystemFailure } from './model/external-system-failure';
import type { QueryContext } from './model/query-context';
import { PARTIAL } from './model/completeness';
import { UpstreamFailure } from '../resilience/upstream-failure';
import { Executes } from './pipeline/executes.decorator';
import { GetShippingDetailsQuery } from './queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdQuery } from './queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListQuery } from './queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleQuery } from './queries/get-shipping-single/get-shipping-single.query';
import { ShippingListQuery, type QueryType } from './queries/shared/shipping-query';
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

/** The metadata key of `@ApiExcludeEndpoint`. */
const LEFT_OUT_OF_DOCUMENT = 'swagger/apiExcludeEndpoint';

describe('ShippingModule', () => {
  const result = { body: {}, completeness: PARTIAL };
  let act: () => unknown = () => result;
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
    ['single', new GetShippingSingleQuery(id, callContext())],
    ['by-id', new GetShippingInfoByIdQuery({ id: 'SHP-1' }, callContext())],
    ['details', new GetShippingDetailsQuery({}, callContext())],
    ['paged', new GetShippingPagedListQuery(page, callContext())],
  ])('executes a query through the bus as %s of the gateway, and returns its result', async (operation, query) => {
    calls.length = 0;
    expect(await context.get(QueryBus).execute(query)).toBe(result);
    expect(calls.map((call) => call.operation)).toEqual([operation]);
  });

  const operations = Object.getOwnPropertyNames(ShippingController.prototype).filter((name) => name !== 'constructor');
  const executed = operations.map((name) => Reflect.getMetadata(Executes.KEY, Reflect.get(ShippingController.prototype, name) as object) as QueryType | undefined); // prettier-ignore
  const queries = executed.filter((query) => query !== undefined);

  it('executes the four queries of the specification, at least', () => {
    expect(queries).toEqual(expect.arrayContaining([GetShippingSingleQuery, GetShippingInfoByIdQuery, GetShippingDetailsQuery, GetShippingPagedListQuery])); // prettier-ignore
  });

  it('has no documented route without a query', () => {
    const routes = operations.map((name) => Reflect.get(ShippingController.prototype, name) as object);
    const silent = routes.filter((route) => Reflect.hasMetadata(PATH_METADATA, route) && !Reflect.hasMetadata(Executes.KEY, route)); // prettier-ignore
    expect(silent.filter((route) => !Reflect.hasMetadata(LEFT_OUT_OF_DOCUMENT, route))).toEqual([]);
    expect(silent).toHaveLength(1);
  });

  type ListQuery = new (params: object, context: QueryContext) => ShippingListQuery<object, unknown>;
  const lists = queries.filter((query) => query.prototype instanceof ShippingListQuery) as unknown as ListQuery[];

  it.each(lists.map((query) => [query.name, query] as const))(
    'spec: failure behaviour 1, 2 and 3: %s results in its empty body where anything fails',
    async (_, ListQuery) => {
      jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      for (const error of [
        new ExternalSystemFailure(new UpstreamFailure('upstream-error', 'failed'), {}),
        new TypeError('a mistake'),
      ]) {
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
