import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../measure/checks';

/**
 * Writes docs/api-report.md: what the package exports, and every type that this uses, so that a review shows a renamed
 * or changed export.
 */

/** The declarations of the sources, below the project, so that imports of packages are found from there. */
const FOLDER = join(ROOT, 'reports/api');
const INTRODUCTION = `# What the package exports

<!-- Written by \`npm run generate\` from src/index.ts and testing/index.ts. -->

A line that is removed or narrowed here breaks applications of teams, and raises the first number of the version. What is
declared without \`export\` is used by the types of exports.
`;

const run = (command: string): unknown => execFileSync('npx', command.split(' '), { cwd: ROOT, stdio: 'inherit' });

/** The report by tools/api-report.NAME.json. */
function reportOf(name: string): string {
  run(`api-extractor run --local --config tools/api-report.${name}.json`);
  const report = readFileSync(join(FOLDER, `report/${name}.api.md`), 'utf8');
  const [, code = ''] = /^```ts\n([^]*?)^```$/m.exec(report) ?? [];
  // These comments concern pages that are made from the comments of the code.
  const plain = code.replace(/^ *\/\/ (?:@public.*|\(undocumented\))\n/gm, '');
  return `\`\`\`ts\n${plain.trim()}\n\`\`\`\n`;
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(join(FOLDER, 'report'), { recursive: true });
run(`tsc -p tsconfig.package.json --customConditions own-sources --emitDeclarationOnly --noCheck --outDir reports/api`);
const service = `\n## shipping-query-service\n\n${reportOf('index')}`;
const testing = `\n## shipping-query-service/testing\n\n${reportOf('testing')}`;
writeFileSync(join(ROOT, 'docs/api-report.md'), INTRODUCTION + service + testing);
