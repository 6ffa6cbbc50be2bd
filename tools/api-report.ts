import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run';

/**
 * Writes docs/api-report.md: what the package exports, and every type that this uses, so that a review shows a renamed
 * or changed export.
 */

const ENTRIES = { 'shipping-query-service': 'src/index', 'shipping-query-service/testing': 'testing/index' };

const INTRODUCTION = `# What the package exports

<!-- Written by \`npm run generate\` from src/index.ts and testing/index.ts. -->

A line that is removed or narrowed here breaks applications of teams, and raises the first number of the version. What is
declared without \`export\` is used by the types of exports.
`;

/** The declarations of the sources, below the project, so that imports of packages are found from there. */
const FOLDER = join(ROOT, 'reports/api');

function emitDeclarations(): void {
  const options = '--customConditions own-sources --emitDeclarationOnly --noCheck --outDir'.split(' ');
  execFileSync('npx', ['tsc', '-p', 'tsconfig.package.json', ...options, FOLDER], { cwd: ROOT, stdio: 'inherit' });
}

const QUIET = { default: { logLevel: ExtractorLogLevel.None } };
const REPORT_FOLDER = join(FOLDER, 'report');
const REPORT_FOLDERS = { reportFolder: REPORT_FOLDER, reportTempFolder: REPORT_FOLDER };

function configurationOf(entry: string): IConfigFile {
  const mainEntryPointFilePath = join(FOLDER, `${entry}.d.ts`);
  const paths = { '#src/*': [join(FOLDER, 'src/*')] };
  const compilerOptions = { module: 'nodenext', target: 'es2023', types: ['node'], skipLibCheck: true, paths };
  return {
    projectFolder: FOLDER,
    mainEntryPointFilePath,
    newlineKind: 'lf',
    compiler: { overrideTsconfig: { compilerOptions, files: [mainEntryPointFilePath] } },
    apiReport: { enabled: true, includeForgottenExports: true, reportFileName: 'api', ...REPORT_FOLDERS },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: { compilerMessageReporting: QUIET, extractorMessageReporting: QUIET, tsdocMessageReporting: QUIET },
  };
}

function reportOf([name, entry]: readonly [string, string]): string {
  const config = ExtractorConfig.prepare({
    configObject: configurationOf(entry),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(ROOT, 'package.json'),
  });
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => void (message.handled = true) });
  const report = readFileSync(join(REPORT_FOLDER, 'api.api.md'), 'utf8');
  const [, code = ''] = /^```ts\n([^]*?)^```$/m.exec(report) ?? [];
  // These comments concern pages that are made from the comments of the code.
  const text = code.replace(/^ *\/\/ (?:@public.*|\(undocumented\)|Warning: .*)\n/gm, '');
  return `\n## ${name}\n\n\`\`\`ts\n${text.trim()}\n\`\`\`\n`;
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(REPORT_FOLDER, { recursive: true });
emitDeclarations();
writeFileSync(join(ROOT, 'docs/api-report.md'), INTRODUCTION + Object.entries(ENTRIES).map(reportOf).join(''));
