import { Linter } from 'eslint';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as babel from 'prettier/plugins/babel';
import * as estree from 'prettier/plugins/estree';
import * as typescript from 'prettier/plugins/typescript';
import { format } from 'prettier/standalone';
import { parser } from 'typescript-eslint';
import { prettier } from '../../package.json';

/*
 * Adds a query: copies the query and the handler of an existing one under a new name, adds a route with its texts to the
 * controller, and registers the handler in the module.
 */

const USAGE = 'Usage: npm run new:query -- GetShippingByCarrier [--list | --page]';
const QUERIES = 'src/shipping/queries';
const CONTROLLER = 'src/shipping/shipping.controller.ts';
const TEXTS = 'src/shipping/documentation/operations.json';
const MODULE = 'src/shipping/shipping.module.ts';

/** The names of each query that may be copied, and of its upstream operation. */
export const RELATIVES = {
  single: { name: 'GetShippingSingle', operation: 'single' },
  list: { name: 'GetShippingDetails', operation: 'details' },
  page: { name: 'GetShippingPagedList', operation: 'paged' },
} as const;

type Relative = (typeof RELATIVES)[keyof typeof RELATIVES];

/** `get-shipping-by-carrier` of `GetShippingByCarrier`, for folders and files. */
const kebab = (name: string): string => name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The name of the upstream operation of a query: its name without its verb and `Shipping`, such as `by-carrier`. */
const operationOf = (name: string): string => kebab(name.replace(/^[A-Z][a-z]+(?:Shippings?(?=[A-Z]))?/, ''));
const pathOf = (name: string, role: string): string => `${QUERIES}/${kebab(name)}/${kebab(name)}.${role}.ts`;

/** The texts of all routes, by the names of their upstream operations. */
const readTexts = (): Record<string, object> => JSON.parse(readFileSync(TEXTS, 'utf8')) as Record<string, object>;

/** @throws {Error} where the name is invalid or taken */
export function expectFree(name: string): void {
  const isValid = /^(?:Get|Find|List|Search)(?:[A-Z][a-z0-9]+)+$/.test(name) && name.length <= 60;
  const fault = 'is no name in PascalCase that starts with Get, Find, List or Search, of 60 characters at most';
  if (!isValid) throw new Error(`${JSON.stringify(name)} ${fault}.`);
  if (operationOf(name) in readTexts()) throw new Error(`${name} is taken.`);
}

function renamed(text: string, name: string, relative: Relative): string {
  return text
    .replaceAll(relative.name, name)
    .replaceAll(camel(relative.name), camel(name))
    .replaceAll(kebab(relative.name), kebab(name))
    .replaceAll(`'${relative.operation}'`, `'${operationOf(name)}'`)
    .replaceAll(new RegExp(`(?<=\\* as )${relative.operation}|${relative.operation}(?=\\.${name})`, 'g'), camel(name));
}

/** A text in which the copy of a part, with the new names, follows the part. */
function repeated(text: string, part: RegExp, name: string, relative: Relative, path: string): string {
  if (!part.test(text)) throw new Error(`${path} has not what ${relative.name} needs there.`);
  return text.replace(part, (found) => found + renamed(found, name, relative));
}

/** The texts of all routes, with those of the new one: a copy with another summary, which is made from the name. */
function textsWith(name: string, relative: Relative): string {
  const texts = readTexts();
  const operation = operationOf(name);
  const summary = `Shipments ${operation.replaceAll('-', ' ')}`;
  return JSON.stringify({ ...texts, [operation]: { ...texts[relative.operation], summary } });
}

// eslint-disable-next-line @typescript-eslint/no-require-imports -- the configuration of ESLint is JavaScript without types
const { plugins, rules } = (require('../../.eslintrc.js') as Linter.Config[]).find(isSorting) ?? {};
/** The order of imports alone, without the rules that need types. */
const SORTING = {
  ...{ files: ['**/*.ts'], languageOptions: { parser }, plugins },
  rules: { 'import-sort/imports': rules?.['import-sort/imports'] },
} as Linter.Config;

function isSorting({ plugins = {} }: Linter.Config): boolean {
  return 'import-sort' in plugins;
}

/**
 * Sorts the imports of a file, since copied ones stand beside their originals, and then formats it, since the linter
 * leaves an import in one line or in several as it was. Both work in this process, because a test tries many names.
 */
export function formatted(path: string, text: string): Promise<string> {
  const isCode = path.endsWith('.ts');
  const sorted = isCode ? new Linter().verifyAndFix(text, SORTING, path).output : text;
  const options = prettier as object;
  return format(sorted, { ...options, parser: isCode ? 'typescript' : 'json', plugins: [babel, estree, typescript] });
}

/** The text of every file that is written or changed, by its path. */
export async function plan(name: string, relative: Relative): Promise<ReadonlyMap<string, string>> {
  const imports = new RegExp(`^import [^;]*'\\./queries/${kebab(relative.name)}/[^;]*;\\n`, 'm');
  const route = new RegExp(`\\n  @Get\\('${relative.name}'\\)[\\s\\S]*?\\n  }\\n`);
  const handler = new RegExp(`^ +${relative.name}Handler,\\n`, 'm');
  // Only the path of the upstream operation stays.
  const copyOf = (role: string): string => renamed(readFileSync(pathOf(relative.name, role), 'utf8'), name, relative);
  const edited = (path: string, line: RegExp): string => {
    const text = repeated(readFileSync(path, 'utf8'), imports, name, relative, path);
    return repeated(text, line, name, relative, path);
  };
  const texts: readonly (readonly [path: string, text: string])[] = [
    [pathOf(name, 'query'), copyOf('query')],
    [pathOf(name, 'handler'), copyOf('handler')],
    [CONTROLLER, edited(CONTROLLER, route)],
    [TEXTS, textsWith(name, relative)],
    [MODULE, edited(MODULE, handler)],
  ];
  return new Map(await Promise.all(texts.map(async ([path, text]) => [path, await formatted(path, text)] as const)));
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: flag, page: flag } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0 || (values.list && values.page)) throw new Error(USAGE);
  expectFree(name);
  const files = await plan(name, values.page ? RELATIVES.page : values.list ? RELATIVES.list : RELATIVES.single);
  mkdirSync(`${QUERIES}/${kebab(name)}`);
  for (const [path, text] of files) writeFileSync(path, text);
  process.stdout.write('Next: npm run generate, and docs/adding-a-query.md\n');
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nNothing was changed.\n`);
    process.exitCode = 1;
  });
}
