import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SettingDefinition } from '../src/config/setting-definition';
import { settingDefinitions } from '../src/config/settings';

/** Writes docs/settings.md from the definitions of the settings. `--check` exits with 1 where the file is outdated. */

const FILE = join(__dirname, '../docs/settings.md');
const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const INTRODUCTION = `# Settings

<!-- Written by \`npm run settings:docs\` from the definitions in src/config. -->

All settings come from environment variables, which are read once, at start. An empty variable counts as unset. Where any value is invalid, the
service does not start: it exits with code 1 and lists all errors, without the values.

In development the service also reads the file \`.env\` in its working directory, with a line \`NAME=value\` for each variable. Variables of the environment win. With
\`NODE_ENV=production\` the file is not read.
`;

const NOTES = `
\`npm run sandbox\` runs the sandbox alone, with the same \`SANDBOX_…\` variables and \`SANDBOX_HOST\` (an IP address, default \`127.0.0.1\`).
\`OTEL_…\` variables apply where [tracing is preloaded](metrics-logs-traces.md#traces).
`;

/** The text of docs/settings.md. */
function settingsPage(): string {
  const definitions = settingDefinitions();
  const sections = [...new Set(definitions.map(({ section }) => section))];
  const tables = sections.map((section) =>
    tableOf(
      section,
      definitions.filter((definition) => definition.section === section),
    ),
  );
  return [INTRODUCTION, ...tables].join('\n') + NOTES;
}

function tableOf(section: string, definitions: readonly SettingDefinition[]): string {
  const rows = definitions.map((definition) => {
    const shown = definition.default === undefined ? '–' : `\`${definition.default}\``;
    const cells = [`\`${definition.name}\``, shown, definition.allowed, definition.help];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `## ${section}\n\n| variable | default | allowed values | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

if (!options.check) {
  writeFileSync(FILE, settingsPage());
} else if (readFileSync(FILE, 'utf8') !== settingsPage()) {
  process.stderr.write('docs/settings.md is outdated; run "npm run settings:docs" and commit the file.\n');
  process.exitCode = 1;
}
