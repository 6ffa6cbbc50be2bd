import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { read, ROOT } from '../support/read';

const FOLDERS = ['.', 'docs', 'docs/decisions', 'examples/shipengine', 'clients/typescript'];
const FILES = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
const PAGES = FILES.filter((name) => name.endsWith('.md'));

/** The links of a page that lead into the repository. */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target);

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'));
}

it.each(PAGES.filter((page) => linksOf(page).length > 0))('%s links to pages and headings that exist', (page) => {
  for (const target of linksOf(page)) {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    expect([target, existsSync(file)]).toEqual([target, true]);
    if (anchor === undefined) continue;
    expect([relative(ROOT, file), ...anchorsOf(read(relative(ROOT, file)))]).toContain(anchor);
  }
});

const numbersIn = (text: string): string[] => text.match(/\bD[1-9]\d?\b/g) ?? [];

it('each rule that docs/contract.md leaves to another page has its place there', () => {
  const [, others = ''] = /^- Rules of other readers: (.*)$/m.exec(read('docs/contract.md')) ?? [];
  const pages = [...others.matchAll(/\]\(([^)]+)\)([^;]*)/g)];
  expect(pages.length).toBeGreaterThan(4);
  for (const [, page = '', numbers = ''] of pages)
    expect([page, ...numbersIn(read(`docs/${page}`))]).toEqual(expect.arrayContaining([page, ...numbersIn(numbers)]));
});

it('each rule that is cited has its definition in docs/contract.md, where its number is bold', () => {
  const defined = new Set((read('docs/contract.md').match(/\*\*D[^*]+\*\*/g) ?? []).flatMap(numbersIn));
  const folders = ['src', 'test', 'testing', 'docs', 'examples', 'tools', 'measure', 'deploy'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files
    .filter((name) => /\.(ts|md|ya?ml|txt|cfg)$/.test(name))
    .map((name) => [name, read(name)] as const);
  const cited = texts.flatMap(([name, text]) => numbersIn(text).map((number) => `${number} in ${name}`));
  expect(cited.filter((citation) => !defined.has(citation.split(' ', 1)[0] ?? ''))).toEqual([]);
});
