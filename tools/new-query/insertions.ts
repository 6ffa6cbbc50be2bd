import type { QueryNames } from './names';
import type { Kind } from './slice';
import type { Source } from './source';

/** The files outside the slice that get a line or a method. */
export const EXTENDED_FILES = {
  module: 'src/shipping/shipping.module.ts',
  controller: 'src/shipping/shipping.controller.ts',
  gateway: 'src/shipping/gateway/external-shipping.gateway.ts',
  operations: 'src/shipping/gateway/operation.ts',
  sandbox: 'src/sandbox/sandbox.controller.ts',
  contract: 'test/support/gateway-methods.ts',
} as const;

type Extended = Readonly<Record<keyof typeof EXTENDED_FILES, Source>>;

/** @throws {MissingAnchor} where one of the files does not look as expected */
export function extend(
  { module, controller, gateway, operations, sandbox, contract }: Extended,
  names: QueryNames,
  kind: Kind,
): void {
  const { pascal, kebab } = names;
  const slice = `queries/${kebab}/${kebab}`;
  const neighbours = /\/queries\/[^/]+\/[^/]+$/;
  module
    .addImport(neighbours, `import { ${pascal}Handler } from './${slice}.handler';`)
    .addElement(/^\w+Handler$/, `${pascal}Handler`);
  controller
    .addImport(neighbours, `import { ${pascal}Params } from './${slice}.params';`)
    .addImport(neighbours, `import { ${pascal}Query } from './${slice}.query';`)
    .addMethod(controllerMethod(names, kind));
  operations.addProperty(
    'BODIES',
    `  '${names.external}': ${kind === 'single' ? 'recordOf(DETAIL)' : 'listOf(LOOKUP_ITEM)'}`,
  );
  gateway.addMethod(kind === 'single' ? singleGatewayMethod(names) : listGatewayMethod(names));
  sandbox.addMethod(sandboxMethod(names, kind));
  contract
    .addImport(neighbours, `import { ${pascal}Query } from '../../src/shipping/${slice}.query';`)
    .addProperty('GATEWAY_METHODS', contractCase(names, kind));
}

function controllerMethod({ pascal, camel, words }: QueryNames, kind: Kind): string {
  const docs =
    kind === 'single'
      ? `description: 'Finds one record by Id, OrderId or both.',
    type: ShippingDetail,
    answer: 'The record.',
    examples: {
      complete: { summary: '?OrderId=ORD-000001 (complete)', value: DETAIL_EXAMPLE },
      partial: { summary: '?OrderId=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_DETAIL_EXAMPLE },
    },
    notFound: true,`
      : `description: 'Lists the records that match. Where the external system fails, the list is empty.',
    type: ShippingLookupItem,
    isArray: true,
    answer: 'The records that match, possibly none.',
    examples: {
      complete: { summary: '?Limit=1 (complete)', value: LOOKUP_EXAMPLE },
      partial: { summary: '?SearchTerm=SIMULATE-ODD-RECORD (partial)', value: PARTIAL_LOOKUP_EXAMPLE },
      unavailable: { summary: '?SearchTerm=SIMULATE-500 (unavailable)', value: [] },
    },
    firstIdentifier: '/0/id',`;
  const body = kind === 'single' ? 'ShippingDetail' : 'ShippingLookupItem[]';
  return `  @Get('${pascal}')
  @ApiShippingOperation({
    query: ${pascal}Query,
    summary: '${words}',
    ${docs}
  })
  ${camel}(
    @Query(ParametersPipe) params: ${pascal}Params,
    @Context() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<${body}> {
    return this.ask(new ${pascal}Query(params, context), reply);
  }`;
}

function singleGatewayMethod({ camel, external }: QueryNames): string {
  return `  /** @returns the one record that all criteria describe, \`undefined\` where none does */
  ${camel}(
    { Id, OrderId }: Pick<ShippingCriteria, 'Id' | 'OrderId'>,
    context: CallContext,
  ): Promise<Answer<ShippingDetail> | undefined> {
    const query = queryString({ Id, OrderId });
    return this.call(requestOf('${external}', '/shippings/${external}', query), context, toDetailOrNone);
  }`;
}

function listGatewayMethod({ camel, external }: QueryNames): string {
  return `  /** @returns the records that match, at most \`Limit\` */
  ${camel}(
    { SearchTerm, OrderId, Limit }: Pick<ShippingDetailsFilter, 'SearchTerm' | 'OrderId' | 'Limit'>,
    context: CallContext,
  ): Promise<Answer<ShippingLookupItem[]>> {
    const query = queryString({ SearchTerm, OrderId, Limit });
    return this.call(requestOf('${external}', '/shippings/${external}', query), context, (reply) =>
      toLookupItems(succeeded(reply)),
    );
  }`;
}

function sandboxMethod({ external, sandbox }: QueryNames, kind: Kind): string {
  return `  @Get('${external}')
  ${sandbox}(@Query() query: RawQuery): unknown {
    return this.${kind === 'single' ? 'single' : 'details'}(query);
  }`;
}

function contractCase({ pascal, camel, external, sandbox }: QueryNames, kind: Kind): string {
  return `  ${camel}: {
    ask: (gateway, text, context) => gateway.${camel}({ OrderId: text }, context),
    query: (text, context) => new ${pascal}Query({ OrderId: text }, context),
    externalPath: '/shippings/${external}',
    textParameter: 'OrderId',
    finds: '${kind === 'single' ? 'record' : 'list'}',
    operation: '${external}',
    sandboxRoute: '${sandbox}',
  }`;
}
