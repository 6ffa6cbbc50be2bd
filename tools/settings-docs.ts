import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE, type Variable } from '../src/config/settings.schema';

/* Writes docs/settings.md from the table of settings, so that page and validation cannot differ. */

const INTRODUCTION = `# Settings

<!-- Written by \`npm run generate\` from src/config/settings.schema.ts. -->

All settings come from environment variables, which are read at start. An empty variable counts as unset. Names that end with \`_MS\` are in milliseconds.
Where any value is invalid, the service does not start: it exits with code 1 and lists all errors, without the values. A list that is given without an item (\`,\`) is invalid, and so is
a variable without those that it belongs to.

A variable that begins with \`EXTERNAL_SHIPPING_\`, \`CACHE_\` or \`SANDBOX_\` and is not in these tables is logged as a warning, with the nearest name. With \`AUTH_\`,
\`RATE_LIMIT_\`, \`MANAGEMENT_\` or \`FORWARD_\` the service does not start. Variables that Kubernetes adds for a service, such as \`AUTH_SERVICE_HOST\` and
\`AUTH_PORT\`, are ignored, and a setting whose value begins with \`tcp://\` or \`udp://\` counts as unset.

In development the service also reads the file \`.env\` in its working directory, with a line \`NAME=value\` for each variable. Variables of the environment win. The
file is text in UTF-8. With \`NODE_ENV=production\` it is not read.
`;

const NOTES = `
\`npm run sandbox\` runs the sandbox alone, with the same \`SANDBOX_…\` variables and \`HOST\` (default \`127.0.0.1\`).
\`OTEL_…\` variables apply where [tracing is preloaded](production.md#traces).
`;

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
writeFileSync(join(__dirname, '../docs/settings.md'), INTRODUCTION + rows.join('') + NOTES);
