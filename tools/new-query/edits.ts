import { CannotGenerateError, type QueryNames } from './names';
import { RELATIVES, renamed, upstreamNameOf, type Kind } from './slice';

/** The files outside the folder of a query that get lines. */
export const CONTROLLER = 'src/shipping/shipping.controller.ts';
export const MODULE = 'src/shipping/shipping.module.ts';
export const SANDBOX = 'src/sandbox/sandbox.controller.ts';

/** Adds the imports and the route, like those of the relative. */
export function extendController(text: string, names: QueryNames, kind: Kind): string {
  const route = new RegExp(`\\n  @Get\\('${RELATIVES[kind].pascal}'\\)[\\s\\S]*?\\n  }\\n`);
  return repeated(CONTROLLER, repeated(CONTROLLER, text, importsOf(kind), names, kind), route, names, kind);
}

/** Adds the import and the entry of the handler, like those of the relative. */
export function extendModule(text: string, names: QueryNames, kind: Kind): string {
  const provider = new RegExp(`^ +${RELATIVES[kind].pascal}Handler,\\n`, 'm');
  return repeated(MODULE, repeated(MODULE, text, importsOf(kind), names, kind), provider, names, kind);
}

/** Lets the route of the relative respond to the path of the new query as well. */
export function extendSandbox(text: string, { external }: QueryNames, kind: Kind): string {
  const relative = upstreamNameOf(kind);
  const listed = text.replace(`@Get('${relative}')`, `@Get(['${relative}'])`);
  const list = new RegExp(`(?<=@Get\\(\\[)\\s*'${relative}'[^\\]]*(?=\\])`);
  if (!list.test(listed)) throw new CannotGenerateError(`${SANDBOX} has no @Get('${relative}').`);
  return listed.replace(list, (entries) => `${entries.trim().replace(/,$/, '')}, '${external}'`);
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
function repeated(path: string, text: string, part: RegExp, names: QueryNames, kind: Kind): string {
  if (!part.test(text)) throw new CannotGenerateError(`${path} has not what ${RELATIVES[kind].pascal} needs there.`);
  return text.replace(part, (found) => found + renamed(found, names, RELATIVES[kind]));
}
