import { Controller, Module, Scope, type Type } from '@nestjs/common';
import { AsyncContext, CqrsModule, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { callContext } from '../../../test/support/units';
import { COMPLETE, type QueryResult } from '../model/query-result';
import { ShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import { PipelineModule } from './pipeline.module';
import type { QueryBehaviour, QueryExecutor } from './query-behaviour';

class SampleQuery extends ShippingQuery<string, string> {}
class ScopedQuery extends ShippingQuery<string, string> {}
class PlainQuery extends Query<string> {}

let events: string[] = [];

@QueryHandler(SampleQuery)
class SampleHandler {
  execute({ params }: SampleQuery): Promise<QueryResult<string>> {
    events.push(`handler ${params}`);
    if (params === 'odd') throw new TypeError('at once');
    return Promise.resolve({ body: params, completeness: COMPLETE });
  }
}
@QueryHandler(ScopedQuery, { scope: Scope.REQUEST })
class ScopedHandler {
  execute = ({ params }: ScopedQuery): Promise<QueryResult<string>> =>
    Promise.resolve({ body: params, completeness: COMPLETE });
}
@QueryHandler(PlainQuery)
class PlainHandler {
  execute = (): Promise<string> => Promise.resolve('plain');
}

/** Records when it wraps a type, and when a query passes. */
function behaviour(name: string): Type<QueryBehaviour> {
  return class implements QueryBehaviour {
    wrap(type: QueryType, next: QueryExecutor): QueryExecutor {
      events.push(`${name} wraps ${type.name}`);
      return (query) => {
        events.push(`${name} before`);
        return next(query).finally(() => events.push(`${name} after`));
      };
    }
  };
}

class PassBy implements QueryBehaviour {
  wrap(_: QueryType, next: QueryExecutor): QueryExecutor {
    return next;
  }
}

beforeEach(() => {
  events = [];
});
const query = (params: string): SampleQuery => new SampleQuery(params, callContext());

describe('PipelineModule', () => {
  let app: TestingModule;
  afterEach(() => app.close());

  async function start(...behaviours: Type<QueryBehaviour>[]): Promise<QueryBus> {
    const imports = [PipelineModule.forRoot(behaviours)];
    const providers = [SampleHandler, ScopedHandler, PlainHandler];
    app = await Test.createTestingModule({ imports, providers }).compile();
    return (await app.init()).get(QueryBus);
  }

  it('wraps each type of query once, and executes behaviours in order', async () => {
    const bus = await start(behaviour('outer'), PassBy, behaviour('inner'));
    expect(await bus.execute(query('a'))).toEqual({ body: 'a', completeness: COMPLETE });
    await bus.execute(query('b'));
    const passed = ['a', 'b'].map((params) => ['outer before', 'inner before', `handler ${params}`, 'inner after', 'outer after']); // prettier-ignore
    expect(events).toEqual(['inner wraps SampleQuery', 'outer wraps SampleQuery', ...passed.flat()]);
  });

  it('shows behaviours a failure, also of a handler that throws at once', async () => {
    const bus = await start(behaviour('only'));
    await expect(bus.execute(query('odd'))).rejects.toThrow('at once');
    expect(events.at(-1)).toBe('only after');
  });

  it('notifies subscribers of each query, as Nest does', async () => {
    const bus = await start(behaviour('only'));
    const seen: unknown[] = [];
    bus.subscribe((published) => seen.push(published));
    const executed = query('a');
    await bus.execute(executed);
    expect(seen).toEqual([executed]);
  });

  it('executes handlers of request scope, with the context of the request', async () => {
    const bus = await start(behaviour('only'));
    const [executed, plain, scope] = [new ScopedQuery('a', callContext()), new PlainQuery(), new AsyncContext()];
    expect(await bus.execute(executed, scope)).toMatchObject({ body: 'a' });
    expect(AsyncContext.of(executed)).toBe(scope);
    expect(events).toContain('only before');
    expect(await bus.execute(plain, scope)).toBe('plain');
  });

  it('leaves other queries to Nest', async () => {
    const bus = await start(behaviour('only'));
    expect(await bus.execute(new PlainQuery())).toBe('plain');
    expect(events).toEqual([]);
  });

  it('names a query without a handler', async () => {
    class LostQuery extends ShippingQuery<string, string> {}
    const bus = await start(behaviour('only'));
    await expect(bus.execute(new LostQuery('a', callContext()))).rejects.toThrow('LostQuery');
  });
});

describe('PipelineModule beside modules of a team', () => {
  @Module({ imports: [PipelineModule.forRoot([behaviour('only')])], providers: [SampleHandler] })
  class ServiceModule {}

  @Controller()
  class TeamController {
    constructor(readonly queryBus: QueryBus) {}
  }

  const module = (cqrs: object): Type => {
    @Module({ imports: [cqrs as Type], controllers: [TeamController] })
    class TeamModule {}
    return TeamModule;
  };

  it.each([
    ['CqrsModule', [module(CqrsModule), ServiceModule]],
    ['CqrsModule.forRoot()', [module(CqrsModule.forRoot()), ServiceModule]],
    ['CqrsModule.forRoot() after it', [ServiceModule, module(CqrsModule.forRoot())]],
  ])('queries of the service pass the pipeline once with %s', async (_, imports) => {
    const app = await Test.createTestingModule({ imports }).compile();
    await app.init();
    events = [];
    expect(await app.get(TeamController, { strict: false }).queryBus.execute(query('a'))).toMatchObject({ body: 'a' });
    expect(events).toEqual(['only wraps SampleQuery', 'only before', 'handler a', 'only after']);
    await app.close();
  });

  it('jest.spyOn(queryBus, "execute") sees queries and replaces results, before and after the start', async () => {
    const app = await Test.createTestingModule({ imports: [ServiceModule, module(CqrsModule)] }).compile();
    const bus = app.get(QueryBus);
    const spy = jest.spyOn(bus, 'execute');
    await app.init();
    const executed = query('a');
    expect(await bus.execute(executed)).toMatchObject({ body: 'a' });
    spy.mockResolvedValueOnce('mocked');
    expect(await bus.execute(executed)).toBe('mocked');
    expect(bus.execute).toHaveBeenCalledTimes(2);
    expect(bus.execute).toHaveBeenCalledWith(executed);
    spy.mockRestore();
    events = [];
    await bus.execute(executed);
    expect(events).toEqual(['only before', 'handler a', 'only after']);
    await app.close();
  });

  it('a mock of QueryBus stays as it is', async () => {
    const mock = { execute: jest.fn().mockResolvedValue('mocked'), register: jest.fn() };
    const testing = Test.createTestingModule({ imports: [ServiceModule, module(CqrsModule)] });
    const app = await testing.overrideProvider(QueryBus).useValue(mock).compile();
    await app.init();
    expect(await app.get(TeamController, { strict: false }).queryBus.execute(query('a'))).toBe('mocked');
    expect(events).toEqual([]);
    await app.close();
  });
});
