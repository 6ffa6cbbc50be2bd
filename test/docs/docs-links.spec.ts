import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['.', 'docs', 'docs/decisions', 'examples/shipengine', 'clients/typescript'];
const FILES = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
const PAGES = FILES.filter((name) => name.endsWith('.md'));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'));
}

describe('the documentation', () => {
  it.each(PAGES)('%s links to pages and headings that exist', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      expect([target, existsSync(file)]).toEqual([target, true]);
      if (anchor === undefined) continue;
      expect([relative(ROOT, file), ...anchorsOf(readFileSync(file, 'utf8'))]).toContain(anchor);
    }
  });
});
