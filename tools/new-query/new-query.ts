import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/*
 * Adds a query: copies the query and the handler of an existing one under a new name, adds a route with its texts to the
 * controller, and registers the handler in the module.
 */

const USAGE = 'Usage: npm run new:query -- GetShippingByCarrier [--list | --page]';
const QUERIES = 'src/shipping/queries';
const CONTROLLER = 'src/shipping/shipping.controller.ts';
const TEXTS = 'src/shipping/documentation/operations.json';
const MODULE = 'src/shipping/shipping.module.ts';

/** The names of each query that may be copied, of its upstream operation and of its upstream request. */
const RELATIVES = {
  single: { name: 'GetShippingSingle', operation: 'single', request: 'singleRequest' },
  list: { name: 'GetShippingDetails', operation: 'details', request: 'detailsRequest' },
  page: { name: 'GetShippingPagedList', operation: 'paged', request: 'pagedListRequest' },
} as const;

type Relative = (typeof RELATIVES)[keyof typeof RELATIVES];

/** `get-shipping-by-carrier` of `GetShippingByCarrier`, for folders and files. */
const kebab = (name: string): string => name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The name of a query without its verb and `Shipping`, such as `ByCarrier`. */
const subject = (name: string): string => name.replace(/^[A-Z][a-z]+(?:Shippings?(?=[A-Z]))?/, '');
const pathOf = (name: string, role: string): string => `${QUERIES}/${kebab(name)}/${kebab(name)}.${role}.ts`;

/** The texts of all routes, by the subjects of their queries. */
const readTexts = (): Record<string, object> => JSON.parse(readFileSync(TEXTS, 'utf8')) as Record<string, object>;

/** @throws {Error} where the name is invalid or taken */
function expectFree(name: string): void {
  const isValid = /^(?:Get|Find|List|Search)(?:[A-Z][a-z0-9]+)+$/.test(name) && name.length <= 60;
  const fault = 'is no name in PascalCase that starts with Get, Find, List or Search, of 60 characters at most';
  if (!isValid) throw new Error(`${JSON.stringify(name)} ${fault}.`);
  if (camel(subject(name)) in readTexts()) throw new Error(`${name} is taken.`);
}

function renamed(text: string, name: string, relative: Relative): string {
  const names = [
    [relative.name, name],
    [camel(relative.name), camel(name)],
    [kebab(relative.name), kebab(name)],
    [relative.request, `${camel(subject(name))}Request`],
    [`(?<=\\* as |\\('\\w+', ')${relative.operation}|${relative.operation}(?=\\.${name})`, camel(subject(name))],
    [`(?<=name: ')${relative.operation}`, kebab(subject(name))],
    [relative.operation.toUpperCase(), kebab(subject(name)).replaceAll('-', '_').toUpperCase()],
  ] as const;
  const replaceName = (current: string, [from, to]: readonly [string, string]): string =>
    current.replaceAll(new RegExp(`(?<![A-Za-z-])(?:${from})(?![a-z])`, 'g'), to);
  return names.reduce(replaceName, text);
}

/** A text in which the copy of a part, with the new names, follows the part. */
function repeated(text: string, part: RegExp, name: string, relative: Relative, path: string): string {
  if (!part.test(text)) throw new Error(`${path} has not what ${relative.name} needs there.`);
  return text.replace(part, (found) => found + renamed(found, name, relative));
}

/** The texts of all routes, with those of the new one: a copy with another summary, which is made from the name. */
function textsWith(name: string, relative: Relative): string {
  const texts = readTexts();
  const summary = `Shipments${subject(name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
  return JSON.stringify({ ...texts, [camel(subject(name))]: { ...texts[relative.operation], summary } });
}

/** The text of every file that is written or changed, by its path. */
function plan(name: string, relative: Relative): ReadonlyMap<string, string> {
  const imports = new RegExp(`^import [^;]*'\\./queries/${kebab(relative.name)}/[^;]*;\\n`, 'm');
  const route = new RegExp(`\\n  @Get\\('${relative.name}'\\)[\\s\\S]*?\\n  }\\n`);
  const handler = new RegExp(`^ +${relative.name}Handler,\\n`, 'm');
  // Only the path of the upstream operation stays.
  const copyOf = (role: string): string => renamed(readFileSync(pathOf(relative.name, role), 'utf8'), name, relative);
  const edited = (path: string, line: RegExp): string => {
    const text = repeated(readFileSync(path, 'utf8'), imports, name, relative, path);
    return repeated(text, line, name, relative, path);
  };
  return new Map([
    [pathOf(name, 'query'), copyOf('query')],
    [pathOf(name, 'handler'), copyOf('handler')],
    [CONTROLLER, edited(CONTROLLER, route)],
    [TEXTS, textsWith(name, relative)],
    [MODULE, edited(MODULE, handler)],
  ]);
}

function main(): void {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: flag, page: flag } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0 || (values.list && values.page)) throw new Error(USAGE);
  expectFree(name);
  const files = plan(name, values.page ? RELATIVES.page : values.list ? RELATIVES.list : RELATIVES.single);
  mkdirSync(`${QUERIES}/${kebab(name)}`);
  for (const [path, text] of files) writeFileSync(path, text);
  // Copied imports stand beside their originals, and not in the order that the linter checks.
  const code = [...files.keys()].filter((path) => path.endsWith('.ts'));
  execFileSync('npx', ['eslint', '--fix', ...code], { stdio: 'inherit' });
  // Formatted last: the linter sorts names within an import, and may leave it in one line or in several as it was.
  execFileSync('npx', ['prettier', '--write', ...files.keys()], { stdio: 'inherit' });
  process.stdout.write('Next: npm run generate, and docs/adding-a-query.md\n');
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nNothing was changed.\n`);
  process.exitCode = 1;
}
