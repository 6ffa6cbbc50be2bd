import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const DOCUMENT = join(__dirname, '../docs/performance.md');

/** Of an even number of values, the larger one in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
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

/** What stands between `<!-- marker:begin -->` and `<!-- marker:end -->` of docs/performance.md. */
function blockOf(marker: string): RegExp {
  return new RegExp(`(?<=<!-- ${marker}:begin -->)[^]*(?=<!-- ${marker}:end -->)`);
}

export function published(marker: string): string {
  return blockOf(marker).exec(readFileSync(DOCUMENT, 'utf8'))?.[0].trim() ?? '';
}

/** Puts a text there. */
export function publish(marker: string, text: string): void {
  const page = readFileSync(DOCUMENT, 'utf8').replace(blockOf(marker), () => `\n\n${text}\n\n`);
  writeFileSync(DOCUMENT, page);
}
