import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE } from '../src/config/settings.schema';

/*
 * Writes docs/settings.md from the table of settings, which the validation reads, too, and from the text beside this
 * file. In that text, the name of a setting stands for the part of the table that begins with this setting.
 */

const HEAD = '| variable | default | allowed values | meaning |\n|---|---|---|---|\n';
const template = readFileSync(join(__dirname, 'settings-docs.template.txt'), 'utf8');

/** What a setting may be and means, without what the page says once. */
function textsOf(name: string, allowed: string, help: string): readonly string[] {
  if (name.endsWith('_FILE') && name.slice(0, -'_FILE'.length) in TABLE) return ['a path', 'File that contains it.'];
  const short = allowed.replace('an integer from ', '').replace('the path of a file with', 'a file with');
  return [short, help];
}

let page = template;
let table = '';
for (const [name, { fallback, allowed, help }] of Object.entries(TABLE).reverse()) {
  const cells = [`\`${name}\``, fallback === '' ? '–' : `\`${fallback}\``, ...textsOf(name, allowed, help)];
  table = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n${table}`;
  if (!template.includes(`{${name}}`)) continue;
  page = page.replace(`{${name}}\n`, () => HEAD + table);
  table = '';
}
writeFileSync(join(__dirname, '../docs/settings.md'), page);
