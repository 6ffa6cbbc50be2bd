import { Logger } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { QueryHandler } from '@nestjs/cqrs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { callContext } from '../../../test/support/units';
import { ExternalSystemFailure } from '../model/external-system-failure';
import { ShippingModule } from '../shipping.module';
import { ShippingListQuery, ShippingQuery } from './shipping-query';

type Class = abstract new (...parameters: never[]) => object;

const ABSTRACT: readonly unknown[] = [ShippingQuery, ShippingListQuery];

/** Every concrete query class below this folder, wherever it stands. */
function queriesBelow(folder: string): Class[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- what there is to import is found while it runs
  const found = modules.flatMap((file) => Object.values(require(join(folder, file)) as Record<string, unknown>));
  return [...new Set(found)].filter(
    (value): value is Class =>
      typeof value === 'function' && value.prototype instanceof ShippingQuery && !ABSTRACT.includes(value),
  );
}

/** Under which key the framework notes the query of a handler. */
function metadataKey(): unknown {
  class Probe {}
  @QueryHandler(Probe)
  class ProbeHandler {}
  return Reflect.getMetadataKeys(ProbeHandler).find((key) => Reflect.getMetadata(key, ProbeHandler) === Probe);
}

describe('queries', () => {
  const key = metadataKey();
  const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, ShippingModule) as object[];
  const handled = providers.map((provider) => Reflect.getMetadata(key, provider) as Class | undefined);
  const queries = queriesBelow(__dirname);

  it('are the four of the specification, at least', () => {
    expect(queries.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'GetShippingSingleQuery',
        'GetShippingInfoByIdQuery',
        'GetShippingDetailsQuery',
        'GetShippingPagedListQuery',
      ]),
    );
  });

  it.each(queries.map((query) => [query.name, query] as const))('%s has exactly one registered handler', (_, query) => {
    expect(handled.filter((candidate) => candidate === query)).toHaveLength(1);
  });

  type Handler = new (gateway: object) => { execute(query: object): Promise<unknown> };
  type ListQuery = new (params: object, context: object) => ShippingListQuery<unknown>;
  const lists = queries.filter((query) => query.prototype instanceof ShippingListQuery) as unknown as ListQuery[];

  it.each(lists.map((query) => [query.name, query] as const))(
    'spec: failure behaviour 1, 2 and 3: the handler of %s answers with its empty body, whatever fails',
    async (_, Query) => {
      const query = new Query({}, callContext());
      const Handler = providers[handled.indexOf(Query)] as Handler;
      jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      for (const error of [new ExternalSystemFailure('upstream-error', 'failed'), new TypeError('a mistake')]) {
        const failing = new Proxy({}, { get: () => () => Promise.reject(error) });
        expect(await new Handler(failing).execute(query)).toMatchObject({ body: query.emptyBody() });
      }
    },
  );

  it('have no handler for anything else', () => {
    expect(handled.filter((query) => query !== undefined && !queries.includes(query))).toEqual([]);
  });
});
