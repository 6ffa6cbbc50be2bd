import { readFileSync, writeFileSync } from 'node:fs';

/** The lines of a Markdown table, its columns aligned. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? title.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)];
}

/** Puts a text between `<!-- marker:begin -->` and `<!-- marker:end -->` of a document. */
export function putBetween(path: string, marker: string, text: string): void {
  const [begin, end] = [`<!-- ${marker}:begin -->`, `<!-- ${marker}:end -->`] as const;
  const document = readFileSync(path, 'utf8');
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no block ${marker}`);
  writeFileSync(path, `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`);
}
