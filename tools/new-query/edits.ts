import { Refusal, type QueryNames } from './names';
import type { Kind } from './slice';

/** The files outside the folder of a query that get a line. */
export const MODULE = 'src/shipping/shipping.module.ts';
export const SANDBOX = 'src/sandbox/sandbox.controller.ts';

/** Adds the import line, and the entry in the list of imported modules. */
export function extendModule(text: string, { pascal, kebab }: QueryNames): string {
  const line = `import { ${pascal}Module } from './queries/${kebab}/${kebab}.module';`;
  const slices = [...text.matchAll(/^import .* from '(\.\/queries\/.*)';\n/gm)];
  const next = slices.find(([, path = '']) => path > `./queries/${kebab}/`) ?? /^import .* from '\.\/shipping\..*\n/m.exec(text); // prettier-ignore
  if (next === null) throw new Refusal(`${MODULE} has no import of a query.`);
  const imported = `${text.slice(0, next.index)}${line}\n${text.slice(next.index)}`;
  return addEntry(
    imported,
    /(?<=^ {2}imports: \[)[^\]]*(?=\])/m,
    `${pascal}Module`,
    `${MODULE} has no list of imports.`,
  );
}

/** Lets the route of the nearest relative respond to the path of the new query as well. */
export function extendSandbox(text: string, { external }: QueryNames, kind: Kind): string {
  const relative = kind === 'single' ? 'single' : 'details';
  const listed = text.replace(`@Get('${relative}')`, `@Get(['${relative}'])`);
  const list = new RegExp(`(?<=@Get\\(\\[)\\s*'${relative}'[^\\]]*(?=\\])`);
  return addEntry(listed, list, `'${external}'`, `${SANDBOX} has no @Get('${relative}').`);
}

/** The first segments of the paths of the sandbox. */
export function sandboxPaths(text: string): string[] {
  const decorators = text.match(/(?<=@Get\()[^)]*(?=\))/g) ?? [];
  return decorators.flatMap((paths) => paths.match(/(?<=')[\w-]+/g) ?? []);
}

function addEntry(text: string, list: RegExp, entry: string, missing: string): string {
  if (!list.test(text)) throw new Refusal(missing);
  return text.replace(list, (entries) => `${entries.trim().replace(/,$/, '')}, ${entry}`);
}
