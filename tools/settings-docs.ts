import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { settingsPage } from './settings-page';

/** Writes docs/settings.md from the definitions of the settings. `--check` exits with 1 where the file is outdated. */

const FILE = join(__dirname, '..', 'docs', 'settings.md');
const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

if (!options.check) {
  writeFileSync(FILE, settingsPage());
} else if (readFileSync(FILE, 'utf8') !== settingsPage()) {
  process.stderr.write('docs/settings.md is outdated; run "npm run settings:docs" and commit the file.\n');
  process.exitCode = 1;
}
