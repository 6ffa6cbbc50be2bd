import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, ROOT } from '../support/read';

/** The names between the braces of a file that only exports. */
function namesIn(path: string): string[] {
  const lists = [...read(path).matchAll(/^export (?:type )?\{([^}]+)\}/gm)].map(([, names = '']) => names.split(','));
  return lists
    .flat()
    .map((name) => name.replace('type ', '').trim())
    .filter((name) => name !== '');
}

const files = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' });
const examples = files.filter((name) => /^(?!.*node_modules).*\.ts$/.test(name)).map((name) => `examples/${name}`);
const documented = ['docs/extending.md', ...examples].map(read).join('');

it.each([
  ['src/index.ts', 75],
  ['testing/index.ts', 12],
])('D85 %s has at most %i names, each in an example or in docs/extending.md', (path, most) => {
  const names = namesIn(path);
  expect(read(path)).not.toMatch(/export \*/);
  expect(names.length).toBeLessThanOrEqual(most);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(documented))).toEqual([]);
});
