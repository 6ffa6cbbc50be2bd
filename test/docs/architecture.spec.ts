import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { read, ROOT } from '../support/read';

const SOURCES = join(ROOT, 'src');

/** The files of the product, and the files of src that each imports. */
function importsOf(file: string): string[] {
  const text = read(`src/${file}`);
  const imports = [...text.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)];
  return imports.map(([, path = '']) => relative(SOURCES, join(SOURCES, dirname(file), path)));
}

/** The arrows between groups of files; files without a group are ignored. */
function arrowsInCode(groupOf: (file: string) => string | undefined): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const product = files.filter((file) => file.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(file));
  const arrows = product.flatMap((file) => importsOf(file).map((to) => [groupOf(file), groupOf(to)] as const));
  const shown = arrows.filter(([from, to]) => from !== undefined && to !== undefined && from !== to);
  return [...new Set(shown.map(([from, to]) => `${String(from)} --> ${String(to)}`))].sort();
}

/** The arrows of a mermaid graph, `a --> b & c` being two. */
function arrowsInPage(graph: string): string[] {
  const lines = [...graph.matchAll(/^ {2}(\S+) --> (.+)$/gm)];
  return lines.flatMap(([, from = '', to = '']) => to.split(' & ').map((each) => `${from} --> ${each}`)).sort();
}

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'app';
}

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];

  it('shows every arrow between the folders of src', () => {
    const shown = arrowsInPage(picture);
    const named = new Set(shown.flatMap((arrow) => arrow.split(' --> ')));
    // The page does not name the folders of a team.
    const ofProject = (file: string): string | undefined => (named.has(folderOf(file)) ? folderOf(file) : undefined);
    expect(shown).toEqual(arrowsInCode(ofProject));
  });

  it('gives the reason of each package that the service needs to run', () => {
    const rows = [...(page.split('## Dependencies')[1] ?? '').matchAll(/^- (`.+?`): /gm)];
    const listed = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
    const { dependencies = {} } = JSON.parse(read('package.json')) as Record<string, object>;
    expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
  });
});
