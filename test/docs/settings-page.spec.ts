import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE } from '../../src/config/settings.schema';
import { read, ROOT } from '../support/read';

const PAGE = read('docs/settings.md');

/**
 * Variables of the program that writes a table, of the compose file, the balancer, Node and OpenTelemetry, codes of TLS,
 * and constants of the code.
 */
const FOREIGN =
  /^(SHIPPING_(API_KEY|TOKEN|VERSION)|METRICS_LISTEN|REPLICA_TIMEOUT|KEEP_ALIVE|CONNECTIONS_PER_ADDRESS|MALLOC_\w*|STATUS_BY_\w*|LOOKUP_ITEM|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|UV_THREADPOOL_SIZE|OTEL_\w*|SIMULATE_\w*|APP_\w*|(NORTH|SOUTH)_\w*|(CERT|ERR|UND_ERR|DEPTH|SELF_SIGNED|UNABLE)_\w*)$/;
/** Has the constants that teams import. */
const ENTRY = read('src/index.ts');
/** A name with the form of a variable. */
const VARIABLE = /\b(?:HOST|PORT|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g;

function filesBelow(folder: string, extension: RegExp): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => extension.test(name)).map((name) => join(folder, name));
}

/** The variables that a text sets or names in code. */
function variablesOf(file: string): string[] {
  const text = read(file);
  const code = file.endsWith('.md') ? /`[^`\n]+`/g : /^\s*(?:- name: )?[A-Z][A-Z0-9_]*\b/gm;
  const parts = text.match(code) ?? [];
  const names = parts.flatMap((part) => part.match(VARIABLE) ?? []);
  return names.filter((name) => !FOREIGN.test(name) && !ENTRY.includes(name));
}

it('D84 has at most 60 variables', () => {
  const count = Object.keys(TABLE).length;
  const hint = 'An operator has to know each: make the new one a constant, or take back another one.';
  expect(count <= 60 ? [] : [`${count} variables. ${hint}`]).toEqual([]);
});

it.each([...filesBelow('docs', /\.md$/), 'README.md', ...filesBelow('deploy', /\.(yaml|env)$/)])('D26 %s', (file) => {
  const documented = new Set(PAGE.match(VARIABLE) ?? []);
  expect(variablesOf(file).filter((name) => !documented.has(name))).toEqual([]);
});
