import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { ROOT } from './run';

/* Writes docs/api-report.md: what the package exports, so that a review shows a renamed or changed export. */

const ENTRIES = { 'shipping-query-service': 'src/index.ts', 'shipping-query-service/testing': 'testing/index.ts' };

const INTRODUCTION = `# What the package exports

<!-- Written by \`npm run generate\` from src/index.ts and testing/index.ts. -->

A line that is removed or narrowed here breaks applications of teams, and raises the first number of the version.
`;

const { options } = ts.parseJsonConfigFileContent({ extends: './tsconfig.json' }, ts.sys, ROOT);
const declarationsOnly = { declaration: true, emitDeclarationOnly: true, removeComments: true, outDir: ROOT };
const files = Object.values(ENTRIES).map((entry) => join(ROOT, entry));
const program = ts.createProgram(files, { ...options, ...declarationsOnly });

/** The statements of each declaration file, by its path without an extension. */
const declared = new Map<string, readonly ts.Statement[]>();
program.emit(undefined, (path, text) => {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  declared.set(path.replace(/\.d\.ts$/, ''), statements);
});

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

/** The declarations of a name, followed by the declarations of its file that they use and the file does not export. */
function declarationsOf(statements: readonly ts.Statement[], name: string): string[] {
  const found = statements.filter((statement) => namesOf(statement).includes(name));
  for (const each of found) {
    const isUsed = (local: string): boolean => new RegExp(`\\b${local}\\b`).test(each.getText());
    const locals = statements.filter((other) => !/^export\b/.test(other.getText()) && namesOf(other).some(isUsed));
    found.push(...locals.filter((other) => !found.includes(other)));
  }
  return found.map((each) => each.getText().replace(/^ +private [^;]+;\n/gm, ''));
}

function reportOf([name, entry]: readonly [string, string]): string {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(ROOT, entry));
  const module = file && checker.getSymbolAtLocation(file);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  const texts = exported.map((symbol) => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const path = original.declarations?.[0]?.getSourceFile().fileName.replace(/\.ts$/, '') ?? '';
    return declarationsOf(declared.get(path) ?? [], original.name).join('\n');
  });
  return `\n## ${name}\n\n\`\`\`ts\n${texts.sort().join('\n\n')}\n\`\`\`\n`;
}

writeFileSync(join(ROOT, 'docs/api-report.md'), INTRODUCTION + Object.entries(ENTRIES).map(reportOf).join(''));
