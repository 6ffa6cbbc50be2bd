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
