import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/**
 * Starts Chromium, to which `host` means this machine: browsers trust loopback addresses more than other hosts on plain
 * HTTP.
 *
 * @throws AssertionError where it is not installed
 */
export async function launchChromium(host: string): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(
    executablePath,
    `Chromium is missing: none of ${NAMES.join(', ')} is in PATH. ` +
      'Install it (on Debian: apt-get install chromium), or name its executable in CHROMIUM_PATH.',
  );
  return chromium.launch({ executablePath, args: [...ARGUMENTS, `--host-resolver-rules=MAP ${host} 127.0.0.1`] });
}

function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return existsSync(named) ? named : undefined;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
}
