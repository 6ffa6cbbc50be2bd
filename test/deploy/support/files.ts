import { CORE_SCHEMA, loadAll, mergeTag } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

/** A node of a YAML file: what a rule reads from it is its assertion. */
export type Node = any;

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function namesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).sort();
}

/** The documents of a YAML file; throws where one is no YAML, anything given twice included. */
export function readYaml(path: string): Node[] {
  return loadAll(read(path), { filename: path, schema: CORE_SCHEMA.withTags(mergeTag) });
}

/** The variables of a file of `NAME=value` lines. */
export function readEnvFile(path: string): Record<string, string> {
  const lines = read(path).split('\n').filter((line) => line !== '' && !line.startsWith('#')); // prettier-ignore
  return pairsIn(lines);
}

/** `NAME=value` texts by name. */
export function pairsIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}
