import { Controller, Get, Global, Module, type Type } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { SETTINGS, readSettings } from '../../config/settings';
import { MetricsModule } from '../../observability/metrics/metrics.module';
import { COMPLETE } from '../model/completeness';
import type { QueryResult } from '../model/query-result';
import { ShippingQuery } from '../queries/shared/shipping-query';
import { Executes } from './executes.decorator';
import { PIPELINE_MODULE } from './pipeline.module';
import { QueryHandlersError } from './query-handlers';
import { ShippingQueryBus } from './shipping-query-bus';

class FirstQuery extends ShippingQuery<object, string> {}
class SecondQuery extends ShippingQuery<object, string> {}

@QueryHandler(FirstQuery)
class FirstHandler implements IQueryHandler<FirstQuery> {
  execute = (): Promise<QueryResult<string>> => Promise.resolve({ body: 'first', completeness: COMPLETE });
}

@QueryHandler(SecondQuery)
class SecondHandler implements IQueryHandler<SecondQuery> {
  execute = (): Promise<QueryResult<string>> => Promise.resolve({ body: 'second', completeness: COMPLETE });
}

@Controller()
class FirstController {
  constructor(readonly queryBus: QueryBus) {}
}

@Controller()
class SecondController {
  constructor(readonly queryBus: QueryBus) {}

  @Get('second')
  @Executes(SecondQuery)
  second(): void {
    // Only its decorator counts.
  }
}

@Module({ imports: [PIPELINE_MODULE], controllers: [FirstController], providers: [FirstHandler] })
class FirstModule {}

@Module({ imports: [PIPELINE_MODULE], controllers: [SecondController], providers: [SecondHandler] })
class SecondModule {}

@Module({ imports: [PIPELINE_MODULE], controllers: [SecondController] })
class ModuleWithoutHandler {}

@Global()
@Module({ providers: [{ provide: SETTINGS, useValue: readSettings({}) }], exports: [SETTINGS] })
class SettingsModule {}

const compile = (...modules: Type[]): Promise<TestingModule> =>
  Test.createTestingModule({ imports: [SettingsModule, MetricsModule, ...modules] }).compile();

describe('PIPELINE_MODULE', () => {
  it('gives all modules that import it one query bus with the handlers of all of them', async () => {
    const app = await (await compile(FirstModule, SecondModule)).init();
    const { queryBus } = app.get(FirstController, { strict: false });
    expect(queryBus).toBeInstanceOf(ShippingQueryBus);
    expect(app.get(SecondController, { strict: false }).queryBus).toBe(queryBus);
    const context = { requestId: 'REQ-1', traceparent: '', strict: false };
    expect(await queryBus.execute(new FirstQuery({}, context))).toMatchObject({ body: 'first' });
    expect(await queryBus.execute(new SecondQuery({}, context))).toMatchObject({ body: 'second' });
    await app.close();
  });

  it('checks the routes and handlers of all modules at start', async () => {
    const app = await compile(FirstModule, ModuleWithoutHandler);
    await expect(app.init()).rejects.toBeInstanceOf(QueryHandlersError);
  });
});
