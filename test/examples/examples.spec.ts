import { Global, Logger, Module, type Type } from '@nestjs/common';
import { QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, SETTINGS } from '../../src/config/settings';
import { COMPLETE, type QueryResult } from '../../src/shipping/model/query-result';
import { ListFallback } from '../../src/shipping/pipeline/list-fallback';
import { PipelineModule } from '../../src/shipping/pipeline/pipeline.module';
import type { QueryBehaviour } from '../../src/shipping/pipeline/query-behaviour';
import { ShippingListQuery } from '../../src/shipping/queries/shared/shipping-query';
import { callContext } from '../support/units';
import { QueryAudit } from './query-audit';
import { ScopedQueries } from './scoped-queries';

class SampleQuery extends ShippingListQuery<string, string[]> {
  emptyBody(): string[] {
    return [];
  }
}

@QueryHandler(SampleQuery)
class SampleHandler {
  execute = ({ params }: SampleQuery): Promise<QueryResult<string[]>> =>
    Promise.resolve({ body: [params], completeness: COMPLETE });
}

const ROOT = join(__dirname, '../..');
const ALLOWED = callContext({
  user: { id: undefined, name: 'team-a', subject: 'team-a', scopes: ['query:SampleQuery'], claims: {} },
});

/** The settings, for behaviours that need them. */
@Global()
@Module({ providers: [{ provide: SETTINGS, useValue: readSettings({}) }], exports: [SETTINGS] })
class SettingsModule {}

async function busWith(...behaviours: Type<QueryBehaviour>[]): Promise<QueryBus> {
  @Module({ imports: [SettingsModule, PipelineModule.forRoot(behaviours)], providers: [SampleHandler] })
  class SampleModule {}
  const app = await Test.createTestingModule({ imports: [SampleModule] }).compile();
  await app.init();
  return app.get(QueryBus);
}

describe('the examples of docs/extending.md', () => {
  it.each(['scoped-queries.ts', 'query-audit.ts'])('%s is shown as it is compiled and tested here', (file) => {
    const shown = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');
    const code = readFileSync(join(__dirname, file), 'utf8').replaceAll("'../../src/shipping/", "'../");
    expect(shown).toContain(code.replaceAll("'../pipeline/", "'./").trim());
  });

  it.each(['team.module.ts', 'team.e2e.spec.ts'])('%s is shown as it is compiled and run here', (file) => {
    const shown = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');
    const code = readFileSync(join(__dirname, file), 'utf8').replace("'./team.module'", "'../src/team/team.module'");
    const inTest = code.replaceAll("'../../src/", "'../src/").replace("'../support/", "'./support/");
    expect(shown).toContain((file.endsWith('.spec.ts') ? inTest : code.replaceAll("'../../src/", "'../")).trim());
  });

  it.each([
    ['outside', [ScopedQueries, ListFallback]],
    ['inside', [ListFallback, ScopedQueries]],
  ])('authorisation executes queries with the scope and refuses others, %s of the fallback', async (_, behaviours) => {
    const bus = await busWith(...behaviours);
    expect(await bus.execute(new SampleQuery('a', ALLOWED))).toEqual({ body: ['a'], completeness: COMPLETE });
    await expect(bus.execute(new SampleQuery('a', callContext()))).rejects.toMatchObject({ status: 403 });
  });

  it('audit logs name, request id and outcome, also of refusals, and no parameter', async () => {
    const logged = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    const bus = await busWith(QueryAudit, ScopedQueries);
    logged.mockClear();
    await bus.execute(new SampleQuery('secret', ALLOWED));
    await bus.execute(new SampleQuery('secret', callContext())).catch(() => undefined);
    expect(logged.mock.calls).toEqual([['SampleQuery REQ-1 complete'], ['SampleQuery REQ-1 refused']]);
    logged.mockRestore();
  });
});
