import { Module, type Type } from '@nestjs/common';
import { AsyncContext, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { callContext } from '../../../test/support/units';
import { COMPLETE } from '../model/completeness';
import type { QueryResult } from '../model/query-result';
import { ShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import { pipelineModule } from './pipeline.module';
import type { QueryExecutor, QueryBehaviour } from './query-behaviour';

class SampleQuery extends ShippingQuery<string, string> {}
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
@QueryHandler(PlainQuery)
class PlainHandler {
  execute = () => Promise.resolve('plain');
}

/** Tells when it is put around a type, and when a query passes. */
function behaviour(name: string): Type<QueryBehaviour> {
  return class implements QueryBehaviour {
    wrap(type: QueryType, next: QueryExecutor): QueryExecutor {
      events.push(`${name} around ${type.name}`);
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

async function start(...behaviours: Type<QueryBehaviour>[]): Promise<QueryBus> {
  @Module({ imports: [pipelineModule(behaviours)], providers: [SampleHandler, PlainHandler] })
  class SampleModule {}
  const app = await Test.createTestingModule({ imports: [SampleModule] }).compile();
  await app.init();
  return app.get(QueryBus);
}

describe('ShippingQueryBus', () => {
  beforeEach(() => {
    events = [];
  });
  const query = (params: string): SampleQuery => new SampleQuery(params, callContext());

  it('puts behaviours around each type of query once, at start, and passes them in order', async () => {
    const bus = await start(behaviour('outer'), PassBy, behaviour('inner'));
    expect(events).toEqual(['inner around SampleQuery', 'outer around SampleQuery']);
    events = [];
    expect(await bus.execute(query('a'))).toEqual({ body: 'a', completeness: COMPLETE });
    await bus.execute(query('b'));
    expect(events).toEqual(
      ['a', 'b'].flatMap((params) => ['outer before', 'inner before', `handler ${params}`, 'inner after', 'outer after']), // prettier-ignore
    );
  });

  it('shows behaviours a failure, also of a handler that throws at once', async () => {
    const bus = await start(behaviour('only'));
    await expect(bus.execute(query('odd'))).rejects.toThrow('at once');
    expect(events.at(-1)).toBe('only after');
  });

  it('tells subscribers of each query, as the framework does', async () => {
    const bus = await start(behaviour('only'));
    const seen: unknown[] = [];
    bus.subscribe((published) => seen.push(published));
    const asked = query('a');
    await bus.execute(asked);
    expect(seen).toEqual([asked]);
  });

  it('takes the context of a scope along', async () => {
    const bus = await start(behaviour('only'));
    const asked = query('a');
    const scope = new AsyncContext();
    await bus.execute(asked, scope);
    expect(AsyncContext.of(asked)).toBe(scope);
    const plain = new PlainQuery();
    await bus.execute(plain, scope);
    expect(AsyncContext.of(plain)).toBe(scope);
  });

  it('leaves queries of other kinds to the framework', async () => {
    const bus = await start(behaviour('only'));
    events = [];
    expect(await bus.execute(new PlainQuery())).toBe('plain');
    expect(events).toEqual([]);
  });

  it('says which query nobody handles', async () => {
    class LostQuery extends ShippingQuery<string, string> {}
    const bus = await start(behaviour('only'));
    await expect(bus.execute(new LostQuery('a', callContext()))).rejects.toThrow('LostQuery');
  });
});
