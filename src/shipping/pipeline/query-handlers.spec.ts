import { Controller, Get, Module, Scope, type Type } from '@nestjs/common';
import { CqrsModule, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import type { QueryContext } from '../model/query-context';
import { COMPLETE } from '../model/completeness';
import type { QueryResult } from '../model/query-result';
import { ShippingQuery } from '../queries/shared/shipping-query';
import { callContext } from '../../../test/support/units';
import { Executes } from './executes.decorator';
import { pipelineModule } from './pipeline.module';
import type { QueryHandlersError } from './query-handlers';

class OneQuery extends ShippingQuery<string, string> {}
class OtherQuery extends ShippingQuery<string, string> {}
class PlainQuery extends Query<string> {}

const answer = (body: string): Promise<QueryResult<string>> => Promise.resolve({ body, completeness: COMPLETE });

@QueryHandler(OneQuery)
class OneHandler {
  execute = ({ params }: OneQuery) => answer(`one ${params}`);
}
@QueryHandler(OneQuery)
class SecondHandler extends OneHandler {}
@QueryHandler(OtherQuery, { scope: Scope.REQUEST })
class OtherHandler {
  execute = ({ params }: OtherQuery) => answer(`other ${params}`);
}
@QueryHandler(PlainQuery)
class PlainHandler {
  execute = () => Promise.resolve('plain');
}

@Controller()
class SampleController {
  @Get('one')
  @Executes(OneQuery)
  one(): void {
    // Its metadata are all that counts.
  }

  @Get('other')
  @Executes(OtherQuery)
  other(): void {
    // As above.
  }

  @Get('none')
  none(): void {
    // Asks nothing.
  }
}

@Module({ providers: [OneHandler] })
class ElsewhereModule {}

type Bus = Pick<QueryBus, 'execute'> & { close: () => Promise<void> };

/** Starts an application with these handlers, and operations for both queries. */
async function start(handlers: Type[], imports: Type[] = []): Promise<Bus> {
  @Module({ imports: [pipelineModule([]), ...imports], controllers: [SampleController], providers: handlers })
  class SampleModule {}

  const app = await Test.createTestingModule({ imports: [SampleModule] }).compile();
  await app.init();
  const bus = app.get(QueryBus);
  return { execute: bus.execute.bind(bus), close: () => app.close() };
}

const faultsOf = (handlers: Type[], imports: Type[] = []): Promise<readonly string[]> =>
  start(handlers, imports).then(
    () => [],
    (error: unknown) => (error as QueryHandlersError).faults,
  );

describe('queries and their handlers, at start', () => {
  const context: QueryContext = callContext();

  it('starts where each query has one handler, and each gets its own, whatever its scope', async () => {
    const bus = await start([OneHandler, OtherHandler, PlainHandler]);
    expect(await bus.execute(new OneQuery('a', context))).toMatchObject({ body: 'one a' });
    expect(await bus.execute(new OtherQuery('b', context))).toMatchObject({ body: 'other b' });
    expect(await bus.execute(new PlainQuery())).toBe('plain');
    await bus.close();
  });

  it('names a query without a handler, the operation that asks it and the handler that is missed', async () => {
    expect(await faultsOf([OneHandler])).toEqual([
      'OtherQuery has no handler, but SampleController.other executes it; is OtherHandler in the list of its module?',
    ]);
  });

  it('names a query with two handlers, and both', async () => {
    expect(await faultsOf([OneHandler, SecondHandler, OtherHandler])).toEqual([
      'OneQuery has 2 handlers: OneHandler of SampleModule, SecondHandler of SampleModule',
    ]);
  });

  it('names a handler that two modules make', async () => {
    const [fault] = await faultsOf([OneHandler, OtherHandler], [ElsewhereModule]);
    expect(fault).toMatch(/^OneQuery has 2 handlers: OneHandler of \w+Module, OneHandler of \w+Module$/);
    expect(fault).toContain('OneHandler of ElsewhereModule');
  });

  it('names two handlers of a query that no operation asks', async () => {
    class SecondPlainHandler extends PlainHandler {}
    QueryHandler(PlainQuery)(SecondPlainHandler);
    const faults = await faultsOf([OneHandler, OtherHandler, PlainHandler, SecondPlainHandler]);
    expect(faults).toEqual([expect.stringMatching(/^PlainQuery has 2 handlers: PlainHandler .*, SecondPlainHandler /)]);
  });

  it('names all faults at once, in its message too', async () => {
    const error: unknown = await start([OneHandler, SecondHandler]).catch((thrown: unknown) => thrown);
    expect((error as QueryHandlersError).faults).toHaveLength(2);
    for (const fault of (error as QueryHandlersError).faults) expect(String(error)).toContain(fault);
  });

  it('is what the framework alone would not notice', async () => {
    @Module({ imports: [CqrsModule], controllers: [SampleController], providers: [OneHandler, SecondHandler] })
    class PlainModule {}
    const app = await Test.createTestingModule({ imports: [PlainModule] }).compile();
    app.useLogger(false);
    await expect(app.init()).resolves.toBe(app);
    await app.close();
  });
});
