import { CannotGenerateError, type QueryNames } from './names';
import { RELATIVES, renamed, upstreamNameOf, type Kind } from './slice';

type Extend = (text: string, names: QueryNames, kind: Kind) => string;

export const CONTROLLER = 'src/shipping/shipping.controller.ts';
export const MODULE = 'src/shipping/shipping.module.ts';
export const SANDBOX = 'src/sandbox/sandbox.controller.ts';
export const CLIENT = 'clients/typescript/src/operations.ts';
export const NGINX = 'deploy/nginx/nginx.conf';

/** The files outside the folder of a query that get lines. Each function throws where there is no place for them. */
export const EXTENSIONS: ReadonlyMap<string, Extend> = new Map([
  [CONTROLLER, extendController],
  [MODULE, extendModule],
  [SANDBOX, extendSandbox],
  [CLIENT, extendClient],
  [NGINX, extendNginx],
]);

/** What a method of the client returns, and how that is checked. */
const CLIENT_BODIES: Readonly<Record<Kind, readonly [body: string, check: string]>> = {
  single: ['ShippingDetail', 'isRecord'],
  list: ['ShippingLookupItem[]', 'Array.isArray'],
  page: ['PagedShippingList', 'isPage'],
};

/** Adds the imports and the route, like those of the relative, with the words of the name as its summary. */
function extendController(text: string, names: QueryNames, kind: Kind): string {
  const route = new RegExp(`\\n  @Get\\('${RELATIVES[kind].pascal}'\\)[\\s\\S]*?\\n  }\\n`);
  const summary = (copy: string): string => copy.replace(/(?<=\bsummary: )'[^']*'/, `'${names.words}'`);
  return repeated(CONTROLLER, repeated(CONTROLLER, text, importsOf(kind), names, kind), route, names, kind, summary);
}

/** Adds the import and the entry of the handler, like those of the relative. */
function extendModule(text: string, names: QueryNames, kind: Kind): string {
  const provider = new RegExp(`^ +${RELATIVES[kind].pascal}Handler,\\n`, 'm');
  return repeated(MODULE, repeated(MODULE, text, importsOf(kind), names, kind), provider, names, kind);
}

/** Lets the route of the relative respond to the path of the new query as well. */
function extendSandbox(text: string, { external }: QueryNames, kind: Kind): string {
  const relative = upstreamNameOf(kind);
  const listed = text.replace(`@Get('${relative}')`, `@Get(['${relative}'])`);
  const list = new RegExp(`(?<=@Get\\(\\[)\\s*'${relative}'[^\\]]*(?=\\])`);
  if (!list.test(listed)) throw new CannotGenerateError(`${SANDBOX} has no @Get('${relative}').`);
  return listed.replace(list, (entries) => `${entries.trim().replace(/,$/, '')}, '${external}'`);
}

/** Adds the method, and the import of its parameters. */
function extendClient(text: string, { pascal, camel, words }: QueryNames, kind: Kind): string {
  const [body, check] = CLIENT_BODIES[kind];
  const method = `
  /** ${words}. */
  ${camel}<Options extends CallOptions = UnconditionalOptions>(
    params: ${pascal}Data['query'] = {},
    options?: Options,
  ): Promise<AnswerFor<${body}, Options>> {
    return this.ask({ url: '/api/Shipping/${pascal}', query: params }, ${check}, options);
  }
}
`;
  if (!/^import type \{[^]*\}\n$/.test(text)) throw new CannotGenerateError(`${CLIENT} has no class of operations.`);
  return text.replace('{', `{ ${pascal}Data,`).replace(/\}\n$/, () => method);
}

/** Adds the route of the access log. */
function extendNginx(text: string, names: QueryNames, kind: Kind): string {
  return repeated(NGINX, text, new RegExp(`^ +~.*/${RELATIVES[kind].pascal}/.*\\n`, 'm'), names, kind);
}

/** The first segments of the paths of the sandbox. */
export function sandboxPaths(text: string): string[] {
  const decorators = text.match(/(?<=@Get\()[^)]*(?=\))/g) ?? [];
  return decorators.flatMap((paths) => paths.match(/(?<=')[\w-]+/g) ?? []);
}

function importsOf(kind: Kind): RegExp {
  return new RegExp(`(^import [^;]*'\\./queries/${RELATIVES[kind].kebab}/[^;]*;\\n)+`, 'm');
}

/** Repeats a part of a text, with the names of the new query, behind itself. */
function repeated(
  path: string,
  text: string,
  part: RegExp,
  names: QueryNames,
  kind: Kind,
  change: (copy: string) => string = (copy) => copy,
): string {
  if (!part.test(text)) throw new CannotGenerateError(`${path} has not what ${RELATIVES[kind].pascal} needs there.`);
  return text.replace(part, (found) => found + change(renamed(found, names, RELATIVES[kind])));
}
