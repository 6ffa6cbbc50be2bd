import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as prettier from 'prettier';
import { EXTENDED_FILES, extend } from './insertions';
import { namesOf, Refusal, type QueryNames } from './names';
import { sliceFiles, type Kind } from './slice';
import { MissingAnchor, Source } from './source';

const QUERIES = 'src/shipping/queries';

/** Files below the root of the project, with the text they shall have. */
export type Plan = ReadonlyMap<string, string>;

/**
 * Works out all that a new query takes, and writes nothing.
 *
 * @throws {Refusal} where the name is bad or taken
 * @throws {MissingAnchor} where a file that has to be extended is missing, or does not look as expected
 */
export async function planQuery(root: string, name: string, kind: Kind): Promise<Plan> {
  const names = namesOf(name);
  const sources = Object.entries(EXTENDED_FILES).map(([key, path]) => [key, read(root, path)] as const);
  const extended = Object.fromEntries(sources) as Record<keyof typeof EXTENDED_FILES, Source>;
  refuseTaken(root, names, extended);
  extend(extended, names, kind);
  const files = [...sliceFiles(names, kind)].map(
    ([file, text]) => [`${QUERIES}/${names.kebab}/${file}`, text] as const,
  );
  const all = [...files, ...Object.values(extended).map((source) => [source.path, source.toString()] as const)];
  return new Map(
    await Promise.all(all.map(async ([path, text]) => [path, await formatted(root, path, text)] as const)),
  );
}

/** Writes what was planned; where a file cannot be written, all is as it was before. */
export function carryOut(root: string, plan: Plan): void {
  const before = [...plan.keys()].map((path) => [path, textOf(join(root, path))] as const);
  const folders: string[] = [];
  try {
    for (const [path, text] of plan) {
      const made = mkdirSync(dirname(join(root, path)), { recursive: true });
      if (made !== undefined) folders.push(made);
      writeFileSync(join(root, path), text);
    }
  } catch (error) {
    for (const folder of folders) rmSync(folder, { recursive: true });
    for (const [path, text] of before) if (text !== undefined) writeFileSync(join(root, path), text);
    throw error;
  }
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function refuseTaken(root: string, names: QueryNames, { controller, gateway, sandbox }: Record<string, Source>): void {
  const folders = readdirSync(join(root, QUERIES));
  const places: [place: string, taken: readonly string[], wanted: readonly string[]][] = [
    [`a file or folder of ${QUERIES}`, folders, [names.kebab]],
    ['the controller', controller?.taken() ?? [], [names.pascal, names.camel]],
    ['the gateway', gateway?.taken() ?? [], [names.camel]],
    ['the sandbox', sandbox?.taken() ?? [], [names.sandbox, names.external]],
  ];
  for (const [place, taken, wanted] of places) {
    const lower = taken.map((name) => name.toLowerCase());
    const double = wanted.find((name) => lower.includes(name.toLowerCase()));
    if (double !== undefined) throw new Refusal(`${names.pascal} is taken: ${place} has ${double} already.`);
  }
}

function read(root: string, path: string): Source {
  const text = textOf(join(root, path));
  if (text === undefined) throw new MissingAnchor(`There is no ${path} here.`);
  return new Source(path, text);
}

async function formatted(root: string, path: string, text: string): Promise<string> {
  const options = await prettier.resolveConfig(join(root, path));
  return prettier.format(text, { ...options, filepath: join(root, path) });
}
