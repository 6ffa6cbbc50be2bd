import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, ROOT } from '../support/read';

/** Numbers that the contract defines or leads on from; they are bold there. */
const DEFINED = new Set((read('docs/contract.md').match(/\*\*D[^*]+\*\*/g) ?? []).flatMap(numbersIn));

function numbersIn(text: string): string[] {
  return text.match(/\bD[1-9]\d?\b/g) ?? [];
}

it.each(['src', 'test', 'testing', 'docs', 'examples', 'tools', 'measure', 'deploy'])(
  'docs/contract.md has each rule that a file below %s cites',
  (folder) => {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /\.(ts|md|ya?ml|txt|cfg)$/.test(name)).map((name) => join(folder, name));
    const cited = files.flatMap((file) => numbersIn(read(file)).map((number) => [number, file] as const));
    expect(cited.filter(([number]) => !DEFINED.has(number))).toEqual([]);
  },
);
