import { Logger, Module, type Type } from '@nestjs/common';
import { QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPLETE, type Answer } from '../../src/shipping/model/completeness';
import { ListFallback } from '../../src/shipping/pipeline/list-fallback';
import { pipelineModule } from '../../src/shipping/pipeline/pipeline.module';
import type { QueryBehaviour } from '../../src/shipping/pipeline/query-behaviour';
import { ShippingListQuery } from '../../src/shipping/queries/shipping-query';
import { callContext } from '../support/units';
import { QueryAudit } from './query-audit';
import { ScopedQueries, type ScopedContext } from './scoped-queries';

class SampleQuery extends ShippingListQuery<string, string[]> {
  emptyBody(): string[] {
    return [];
  }
}

@QueryHandler(SampleQuery)
class SampleHandler {
  execute = ({ params }: SampleQuery): Promise<Answer<string[]>> =>
    Promise.resolve({ body: [params], completeness: COMPLETE });
}

const ROOT = join(__dirname, '../..');
const ALLOWED: ScopedContext = { ...callContext(), scopes: new Set(['query:SampleQuery']) };

async function busWith(...behaviours: Type<QueryBehaviour>[]): Promise<QueryBus> {
  @Module({ imports: [pipelineModule(behaviours)], providers: [SampleHandler] })
  class SampleModule {}
  const app = await Test.createTestingModule({ imports: [SampleModule] }).compile();
  await app.init();
  return app.get(QueryBus);
}

describe('the examples of docs/architecture.md', () => {
  it.each(['scoped-queries.ts', 'query-audit.ts'])('%s is shown as it is compiled and tested here', (file) => {
    const shown = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const code = readFileSync(join(__dirname, file), 'utf8').replaceAll("'../../src/shipping/", "'../");
    expect(shown).toContain(code.replaceAll("'../pipeline/", "'./").trim());
  });

  it('authorisation lets those with the scope pass, and no fallback hides its refusal', async () => {
    const bus = await busWith(ScopedQueries, ListFallback);
    expect(await bus.execute(new SampleQuery('a', ALLOWED))).toEqual({ body: ['a'], completeness: COMPLETE });
    await expect(bus.execute(new SampleQuery('a', callContext()))).rejects.toMatchObject({ status: 403 });
  });

  it('audit notes what was asked by whom and how it ended, refusals too, and never a parameter', async () => {
    const noted = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    const bus = await busWith(QueryAudit, ScopedQueries);
    noted.mockClear();
    await bus.execute(new SampleQuery('secret', ALLOWED));
    await bus.execute(new SampleQuery('secret', callContext())).catch(() => undefined);
    expect(noted.mock.calls).toEqual([['SampleQuery REQ-1 complete'], ['SampleQuery REQ-1 internal']]);
    noted.mockRestore();
  });
});
