import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE, type Variable } from '../src/config/settings.schema';

/* Writes docs/settings.md from the table of settings and the text beside this file, so that page and validation cannot differ. */

/** The headings of the page, by the first variable below each. */
const HEADINGS: ReadonlyMap<string, string> = new Map<Variable, string>([
  ['HOST', 'Server'],
  ['SHIPPING_ID_PATTERN', 'Operations and logs'],
  ['EXTERNAL_SHIPPING_BASE_URL', 'External system'],
  ['EXTERNAL_SHIPPING_TOKEN', 'Credentials for the external system'],
  ['EXTERNAL_SHIPPING_CA_FILE', 'TLS to the external system'],
  ['CACHE_TTL_MS', 'Cache and Redis'],
  ['AUTH_ISSUER', 'Authentication'],
  ['RATE_LIMIT_MAX', 'Rate limiting'],
  ['SANDBOX_PORT', 'Embedded sandbox'],
]);

const rows = Object.entries(TABLE).map(([name, { fallback, allowed, help }]) => {
  const heading = HEADINGS.get(name);
  const cells = [`\`${name}\``, fallback === '' ? '–' : `\`${fallback}\``, allowed, help];
  const row = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  if (heading === undefined) return row;
  return `\n## ${heading}\n\n| variable | default | allowed values | meaning |\n|---|---|---|---|\n${row}`;
});
const template = readFileSync(join(__dirname, 'settings-docs.template.txt'), 'utf8');
writeFileSync(
  join(__dirname, '../docs/settings.md'),
  template.replace('{settings}', () => rows.join('')),
);
