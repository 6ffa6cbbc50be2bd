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
  if (Object.hasOwn(readTexts(), operationOf(name))) throw new Error(`${name} is taken.`);
}

/** The text of every file that is written or changed, by its path, before linter and formatter have seen it. */
export function plan(name: string, relative: Relative): ReadonlyMap<string, string> {
  const operation = operationOf(name);
  const inCode = new RegExp(`(?<=\\* as )${relative.operation}|${relative.operation}(?=\\.${name})`, 'g');
  const renamed = (text: string): string =>
    text
      .replaceAll(relative.name, name)
      .replaceAll(camel(relative.name), camel(name))
      .replaceAll(kebab(relative.name), kebab(name))
      .replaceAll(`'${relative.operation}'`, `'${operation}'`)
      .replaceAll(inCode, camel(name));
  // Only the path of the upstream operation stays.
  const copyOf = (role: string): string => renamed(readFileSync(pathOf(relative.name, role), 'utf8'));
  const imports = new RegExp(`^import [^;]*'\\./queries/${kebab(relative.name)}/[^;]*;\\n`, 'm');
  const route = new RegExp(`\\n  @Get\\('${relative.name}'\\)[\\s\\S]*?\\n  }\\n`);
  const handler = new RegExp(`^ +${relative.name}Handler,\\n`, 'm');
  // The copy of a part, with the new names, follows the part.
  const withCopies = (path: string, ...parts: RegExp[]): string => {
    let text = readFileSync(path, 'utf8');
    for (const part of parts) {
      if (!part.test(text)) throw new Error(`${path} has no part ${part.source} to copy.`);
      text = text.replace(part, (found) => found + renamed(found));
    }
    return text;
  };
  const texts = readTexts();
  const summary = `Shipments ${operation.replaceAll('-', ' ')}`;
  return new Map([
    [pathOf(name, 'query'), copyOf('query')],
    [pathOf(name, 'handler'), copyOf('handler')],
    [CONTROLLER, withCopies(CONTROLLER, imports, route)],
    [TEXTS, JSON.stringify({ ...texts, [operation]: { ...texts[relative.operation], summary } })],
    [MODULE, withCopies(MODULE, imports, handler)],
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
  // Copied imports stand beside their originals, and names have another length.
  const paths = [...files.keys()];
  const order = ['eslint', '--fix', '--config', `${__dirname}/imports.config.js`];
  execFileSync('npx', [...order, ...paths.filter((path) => path.endsWith('.ts'))], { stdio: 'inherit' });
  execFileSync('npx', ['prettier', '--write', '--log-level', 'warn', ...paths], { stdio: 'inherit' });
  process.stdout.write('Next: npm run generate, and docs/adding-a-query.md\n');
}

if (require.main === module) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
