import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

describe('the examples of docs/extending.md', () => {
  it.each(['team.module.ts', 'team.e2e.spec.ts'])('%s is shown as it is compiled and run here', (file) => {
    const shown = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');
    const code = readFileSync(join(__dirname, file), 'utf8').replace("'./team.module'", "'../src/team/team.module'");
    const inTest = code.replaceAll("'../../src/", "'../src/").replace("'../support/", "'./support/");
    expect(shown).toContain((file.endsWith('.spec.ts') ? inTest : code.replaceAll("'../../src/", "'../")).trim());
  });
});
