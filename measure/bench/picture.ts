/** Bars that belong together. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const WIDTH = 760;
const LABEL_WIDTH = 130;
const VALUE_WIDTH = 80;
const BAR_HEIGHT = 18;
const TITLE_HEIGHT = 34;
const TOP = 46;
/** The first bar of a group is what the others are compared with. */
const COLOURS = ['#0b5fa5', '#8b98a5', '#a8b3bd', '#c5cdd4'];

/** An SVG with horizontal bars, all on one scale, each with its value. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / largest;
  const parts: string[] = [];
  let y = TOP;
  for (const group of groups) {
    parts.push(text(LABEL_WIDTH, y + 22, group.title, 'font-weight="bold"'));
    y += TITLE_HEIGHT;
    for (const [index, { name, value }] of group.bars.entries()) {
      const middle = y + BAR_HEIGHT / 2 + 4;
      const width = value * scale;
      parts.push(text(LABEL_WIDTH - 8, middle, name, 'text-anchor="end"'));
      parts.push(`<rect x="${LABEL_WIDTH}" y="${y + 2}" width="${width.toFixed(1)}" height="${BAR_HEIGHT - 4}" fill="${COLOURS[index] ?? ''}"/>`); // prettier-ignore
      parts.push(text(LABEL_WIDTH + width + 6, middle, Math.round(value).toLocaleString('en')));
      y += BAR_HEIGHT;
    }
  }
  const height = y + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" fill="#1f2328">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(LABEL_WIDTH, 30, title, 'font-size="16" font-weight="bold"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
