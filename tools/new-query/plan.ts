import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { EXTENSIONS, SANDBOX, sandboxPaths } from './edits';
import { CannotGenerateError, namesOf, type QueryNames } from './names';
import { RELATIVES, sliceFiles, type Kind } from './slice';

const QUERIES = 'src/shipping/queries';

/** What a new query changes. */
export interface Plan {
  /** The new folder, below the root of the project. */
  readonly folder: string;
  /** Paths below the root of the project, with the text that each file gets. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Determines all changes for a new query, and writes nothing.
 *
 * @throws {CannotGenerateError} where the name is invalid or taken, or a file has no place for its new line
 */
export async function planQuery(root: string, name: string, kind: Kind): Promise<Plan> {
  const names = namesOf(name);
  refuseTaken(names, readdirSync(join(root, QUERIES)), sandboxPaths(read(root, SANDBOX)));
  const readRelative = (role: string): string => read(root, pathOf(RELATIVES[kind], role));
  const files: [path: string, text: string][] = [
    ...sliceFiles(names, kind, readRelative).map(([role, text]): [string, string] => [pathOf(names, role), text]),
    ...[...EXTENSIONS].map(([path, extend]): [string, string] => [path, extend(read(root, path), names, kind)]),
  ];
  const formatted = files.map(async ([path, text]) => [path, await format(join(root, path), text)] as const);
  return { folder: `${QUERIES}/${names.kebab}`, files: new Map(await Promise.all(formatted)) };
}

/** Writes all files. */
export function carryOut(root: string, { folder, files }: Plan): void {
  mkdirSync(join(root, folder));
  for (const [path, text] of files) writeFileSync(join(root, path), text);
}

function refuseTaken({ pascal, kebab, external }: QueryNames, folders: string[], paths: string[]): void {
  const comparable = (name: string): string => name.replaceAll('-', '');
  const isTaken = (name: string, taken: string[]): boolean => taken.map(comparable).includes(comparable(name));
  if (isTaken(kebab, folders))
    throw new CannotGenerateError(`${pascal} is taken: ${QUERIES} has a folder of that name.`);
  if (isTaken(external, paths))
    throw new CannotGenerateError(`${pascal} is taken: the sandbox has the path ${external}.`);
}

function pathOf({ kebab }: QueryNames, role: string): string {
  return `${QUERIES}/${kebab}/${kebab}.${role}.ts`;
}

function read(root: string, path: string): string {
  if (!existsSync(join(root, path))) throw new CannotGenerateError(`${path} does not exist.`);
  return readFileSync(join(root, path), 'utf8');
}

async function format(filepath: string, text: string): Promise<string> {
  if (!filepath.endsWith('.ts')) return text;
  return prettier.format(text, { ...(await prettier.resolveConfig(filepath)), filepath });
}
