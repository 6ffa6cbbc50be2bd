import type { QueryNames } from './names';

/** What differs between a single lookup and a list. */
export type Kind = 'single' | 'list';

/** The files of a slice, by name. */
export function sliceFiles(names: QueryNames, kind: Kind): Map<string, string> {
  return new Map([
    [`${names.kebab}.params.ts`, kind === 'single' ? singleParams(names) : listParams(names)],
    [`${names.kebab}.query.ts`, kind === 'single' ? singleQuery(names) : listQuery(names)],
    [`${names.kebab}.handler.ts`, kind === 'single' ? singleHandler(names) : listHandler(names)],
    [`${names.kebab}.handler.spec.ts`, kind === 'single' ? singleHandlerSpec(names) : listHandlerSpec(names)],
    [`${names.kebab}.e2e.spec.ts`, e2eSpec(names, kind)],
  ]);
}

function singleParams({ pascal }: QueryNames): string {
  return `import { OneOf, OptionalIdentifier, OrderId } from '../parameters';

/** What \`${pascal}\` may be asked by; at least one of them. */
export class ${pascal}Params {
  @OneOf('Id', 'OrderId')
  @OptionalIdentifier()
  Id?: string;

  @OrderId()
  OrderId?: string;
}
`;
}

function listParams({ pascal }: QueryNames): string {
  return `import { Limit, OrderId, SearchTerm } from '../parameters';

/** What \`${pascal}\` may be narrowed by. */
export class ${pascal}Params {
  @SearchTerm()
  SearchTerm?: string;

  @OrderId()
  OrderId?: string;

  @Limit()
  Limit?: number;
}
`;
}

function singleQuery({ pascal, kebab }: QueryNames): string {
  return `import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingQuery } from '../shipping-query';
import type { ${pascal}Params } from './${kebab}.params';

/** Asks for the one record that all criteria describe. */
export class ${pascal}Query extends ShippingQuery<${pascal}Params, ShippingDetail> {}
`;
}

function listQuery({ pascal, kebab }: QueryNames): string {
  return `import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { ShippingListQuery } from '../shipping-query';
import type { ${pascal}Params } from './${kebab}.params';

/** Asks for the shippings that match. */
export class ${pascal}Query extends ShippingListQuery<${pascal}Params, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}
`;
}

function singleHandler({ pascal, kebab, camel }: QueryNames): string {
  return `import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingNotFound } from '../shipping-not-found';
import { ${pascal}Query } from './${kebab}.query';

/** Finds one record by criteria. */
@QueryHandler(${pascal}Query)
export class ${pascal}Handler implements IQueryHandler<${pascal}Query> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  /** @throws {ShippingNotFound} where no record matches the criteria */
  async execute({ params, context }: ${pascal}Query): Promise<Answer<ShippingDetail>> {
    const answer = await this.gateway.${camel}(params, context);
    if (answer === undefined) throw new ShippingNotFound();
    return answer;
  }
}
`;
}

function listHandler({ pascal, kebab, camel }: QueryNames): string {
  return `import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { ${pascal}Query } from './${kebab}.query';

/** Lists the shippings that match. */
@QueryHandler(${pascal}Query)
export class ${pascal}Handler implements IQueryHandler<${pascal}Query> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: ${pascal}Query): Promise<Answer<ShippingLookupItem[]>> {
    return this.gateway.${camel}(params, context);
  }
}
`;
}

function singleHandlerSpec({ pascal, kebab, camel }: QueryNames): string {
  return `import { describeLookup } from '../../../../test/support/handlers';
import { ${pascal}Handler } from './${kebab}.handler';
import { ${pascal}Query } from './${kebab}.query';

const PARAMS = { OrderId: 'ORD-1' };

describe('${pascal}Handler', () => {
  describeLookup('${camel}', PARAMS, (gateway, context) =>
    new ${pascal}Handler(gateway).execute(new ${pascal}Query(PARAMS, context)),
  );
});
`;
}

function listHandlerSpec({ pascal, kebab, camel }: QueryNames): string {
  return `import { describeList } from '../../../../test/support/handlers';
import { ${pascal}Handler } from './${kebab}.handler';
import { ${pascal}Query } from './${kebab}.query';

const PARAMS = { OrderId: 'ORD-1', Limit: 3 };

describe('${pascal}Handler', () => {
  describeList({
    method: '${camel}',
    asked: PARAMS,
    emptyBody: [],
    query: (context) => new ${pascal}Query(PARAMS, context),
    handler: (gateway) => new ${pascal}Handler(gateway),
  });
});
`;
}

function e2eSpec({ pascal, external }: QueryNames, kind: Kind): string {
  const single = kind === 'single';
  const [refused, parameter] = single ? ['', 'Id'] : ['?Limit=0', 'Limit'];
  const expectations = ['expectAnswer', 'expectBadInput', 'expectProblem', ...(single ? [] : ['expectUnavailable'])];
  return `import { ${expectations.join(', ')} } from '../../../../test/support/expectations';
import { parameters, sentParameters, STRICT, type Operation } from '../../../../test/support/operations';
import { useScriptedService } from '../../../../test/support/service';
import { status } from '../../../../test/support/upstream/answers';

const OPERATION: Operation = {
  name: '${pascal}',
  request: '${pascal}?OrderId=ORD-1001',
  externalPath: '/shippings/${external}',
  single: ${String(single)},
  body: '${single ? 'record' : 'list'}',
};

describe('${pascal}', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('asks the external system for what it is asked, and answers completely', async () => {
    expectAnswer(OPERATION, await scripted.service.ask(OPERATION.request), 'complete');
    expect(sentParameters(scripted.upstream)).toEqual(parameters({ OrderId: 'ORD-1001' }));
    expect(scripted.upstream.calls[0]?.path).toBe(OPERATION.externalPath);
  });

  it('refuses what its rules refuse, before any call', async () => {
    expectBadInput(await scripted.service.ask('${pascal}${refused}'), '${parameter}');
    expect(scripted.upstream.calls).toEqual([]);
  });

${failures(kind)}

  it('is documented', async () => {
    const document = (await scripted.service.get('/openapi.json')).json();
    expect(document.paths['/api/Shipping/${pascal}'].get.responses).toHaveProperty('200');
  });
});
`;
}

function failures(kind: Kind): string {
  const [title, expectation] =
    kind === 'single'
      ? ['D15 fails', "expectProblem(await scripted.service.ask(OPERATION.request), 500, 'external-system-failed')"]
      : [
          'D20 is empty and says why',
          "expectUnavailable(OPERATION, await scripted.service.ask(OPERATION.request), 'upstream-error')",
        ];
  return `  it('${title} where the external system fails', async () => {
    scripted.upstream.respondWith(status(500));
    ${expectation};
  });

  it('D21 fails for strict callers', async () => {
    scripted.upstream.respondWith(status(500));
    expectProblem(await scripted.service.ask(OPERATION.request, STRICT), 502, 'external-system-failed');
  });`;
}
