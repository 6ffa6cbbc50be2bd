import { Refusal, namesOf, type QueryNames } from './names';
import { e2eSpec, handlerSpec, requestSpec } from './slice-specs';

/** What a query returns: one record, or a list. */
export type Kind = 'single' | 'list';

/** The existing query that a new one starts as a copy of. */
export const RELATIVES: Readonly<Record<Kind, QueryNames>> = {
  single: namesOf('GetShippingSingle'),
  list: namesOf('GetShippingDetails'),
};

const COPIED = ['params', 'query', 'request', 'handler', 'docs'];

/**
 * The files of a slice by role, such as `handler`; not yet formatted.
 *
 * @param readRelative the text of a file of the existing query
 * @throws {Refusal} where such a file does not look as expected
 */
export function sliceFiles(names: QueryNames, kind: Kind, readRelative: (role: string) => string): [string, string][] {
  return [
    ...COPIED.map((role): [string, string] => [role, renamed(readRelative(role), names, RELATIVES[kind])]),
    ['controller', controller(names, kind)],
    ['module', module(names)],
    ['handler.spec', handlerSpec(names, kind)],
    ['request.spec', requestSpec(names)],
    ['e2e.spec', e2eSpec(names, kind)],
  ];
}

/** Replaces the names, the summary, and name and path of the upstream operation. */
function renamed(text: string, names: QueryNames, relative: QueryNames): string {
  const { external, words } = names;
  const operation = /(: Operation = \{\s*name: )'[^']+',\s*path: [^,]+,/;
  if (text.includes(': Operation') && !operation.test(text)) {
    throw new Refusal(`The upstream operation of ${relative.pascal} has no name followed by a path.`);
  }
  const replaced = (['pascal', 'kebab', 'constant', 'request'] as const).reduce(
    (current, form) => current.replaceAll(new RegExp(`(?<![A-Za-z-])${relative[form]}(?![a-z])`, 'g'), names[form]),
    text,
  );
  return replaced
    .replace(operation, (_, start: string) => `${start}'${external}', path: () => '/shippings/${external}',`)
    .replace(/(?<=\bsummary: )'[^']*'/, `'${words}'`);
}

function controller({ pascal, camel, kebab }: QueryNames, kind: Kind): string {
  const [model, body] = kind === 'single' ? ['Detail', 'Detail'] : ['LookupItem', 'LookupItem[]'];
  return `import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { ParametersPipe } from '../../../http/parameters/parameters.pipe';
import { Context } from '../../http/query-context.decorator';
import { QueryResultInterceptor } from '../../http/query-result.interceptor';
import type { QueryContext } from '../../model/query-context';
import type { QueryResult } from '../../model/query-result';
import { OPERATIONS_PREFIX } from '../../model/routes';
import type { Shipping${model} } from '../../model/shipping-${kind === 'single' ? 'detail' : 'lookup-item'}';
import { ${pascal}Docs } from './${kebab}.docs';
import { ${pascal}Params } from './${kebab}.params';
import { ${pascal}Query } from './${kebab}.query';

/** The route of \`${pascal}\`. */
@ApiTags('Shipping')
@Controller(OPERATIONS_PREFIX)
@UseInterceptors(QueryResultInterceptor)
export class ${pascal}Controller {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('${pascal}')
  @${pascal}Docs()
  ${camel}(
    @Query(ParametersPipe) params: ${pascal}Params,
    @Context() context: QueryContext,
  ): Promise<QueryResult<Shipping${body}>> {
    return this.queryBus.execute(new ${pascal}Query(params, context));
  }
}
`;
}

function module({ pascal, kebab }: QueryNames): string {
  return `import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GatewayModule } from '../../gateway/gateway.module';
import { ${pascal}Controller } from './${kebab}.controller';
import { ${pascal}Handler } from './${kebab}.handler';

/** The query \`${pascal}\`. */
@Module({
  imports: [CqrsModule, GatewayModule],
  controllers: [${pascal}Controller],
  providers: [${pascal}Handler],
})
export class ${pascal}Module {}
`;
}
