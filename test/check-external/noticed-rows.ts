import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NoticedRow {
  readonly name: string;
  readonly by: 'service' | 'check' | 'nobody';
  /** What the cell says in `code`: values of the service's responses, or rules of the check. */
  readonly codes: readonly string[];
}

/** The rows of the table in `docs/connecting.md`, which say in one of three columns who notices. */
export function noticedRows(): NoticedRow[] {
  const text = readFileSync(join(__dirname, '../../docs/connecting.md'), 'utf8');
  const [, section = ''] = text.split(
    '\n## What the service notices, what only the check notices, what nobody can notice\n',
  );
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const filled = cells.flatMap((cell, index) => (cell === '' ? [] : index));
    if (filled.length !== 1 || cells.length !== 3) throw new Error(`One of three columns has to be filled: ${name}`);
    const [column = 0] = filled;
    const codes = [...(cells[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return { name, by: (['service', 'check', 'nobody'] as const)[column] ?? 'nobody', codes };
  });
}
