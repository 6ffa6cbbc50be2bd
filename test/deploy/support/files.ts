import { CORE_SCHEMA, loadAll, mergeTag } from 'js-yaml';
import { execFile } from 'node:child_process';
import { read } from '../../support/read';

export { read };

/** A node of a YAML file, read as it comes: where a rule finds something else, it fails. */
export type Node = any;

/** The documents of a YAML file; throws where one is invalid. */
export function readYaml(path: string): Node[] {
  return loadAll(read(path), { filename: path, schema: CORE_SCHEMA.withTags(mergeTag) });
}

/** `NAME=value` texts by name. */
export function pairsIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

export const PACKAGE = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: { readonly start: string };
};

/** The exit code of a command for Node, run without a shell as a container would run it. */
export function exitCodeOf([, ...rest]: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    execFile(process.execPath, rest, { env }, (error) => {
      resolve(error === null ? 0 : Number(error.code));
    });
  });
}
