import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const DOCUMENT = join(__dirname, '../docs/performance.md');

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** A Markdown table. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A sentence with the command, the date, the machine and the release of Node. */
export function conditions(command: string): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${memory} GiB`;
  return `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}, Node ${process.version}.`;
}

/** Puts a text between `<!-- marker:begin -->` and `<!-- marker:end -->` of docs/performance.md. */
export function publish(marker: string, text: string): void {
  const [before, , after] = blockOf(marker);
  writeFileSync(DOCUMENT, `${before}\n\n${text}\n\n${after}`);
}

/** The text between the marks. */
export function published(marker: string): string {
  return blockOf(marker)[1].trim();
}

/** The page before the text between the marks, this text, and the page after it. */
function blockOf(marker: string): readonly [before: string, text: string, after: string] {
  const parts = readFileSync(DOCUMENT, 'utf8').split(
    new RegExp(`(?<=<!-- ${marker}:begin -->)|(?=<!-- ${marker}:end -->)`),
  );
  const [before, text, after] = parts;
  if (before === undefined || text === undefined || after === undefined)
    throw new Error(`docs/performance.md has no block ${marker}`);
  return [before, text, after];
}
