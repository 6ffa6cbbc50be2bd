import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { EXTENDED_FILES } from './insertions';

/*
 * Does what somebody does who has deleted the folder of a query: looks what the compiler complains of, deletes what it
 * names, and looks again.
 */

const MAX_ROUNDS = 6;

/** @returns what was deleted, round by round; @throws Error where complaints are left that name nothing to delete */
export function removeLeftovers(root: string): string[][] {
  const rounds: string[][] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const program = programOf(root);
    const complaints = ts.getPreEmitDiagnostics(program);
    if (complaints.length === 0) return rounds;
    const named = new Set(complaints.flatMap((complaint) => namedBy(complaint, program)));
    if (named.size === 0) throw new Error(complaints.map(textOf).join('\n'));
    rounds.push([...named].map((node) => titleOf(node, root)));
    deleteAll(named);
  }
  throw new Error(`The compiler still complains after ${MAX_ROUNDS} rounds`);
}

function programOf(root: string): ts.Program {
  const path = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { config: object };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram(fileNames, { ...options, noEmit: true });
}

/** What a complaint names: the statement, element, property or method at its place, or what has the names that it tells. */
function namedBy(complaint: ts.Diagnostic, program: ts.Program): ts.Node[] {
  const text = textOf(complaint);
  const lists = [/Property '(\w+)' is missing/, /missing the following properties[^:]*: ([\w, ]+)/, /Type '("[^']*")' does not satisfy the constraint 'never'/]; // prettier-ignore
  const found = lists.map((pattern) => pattern.exec(text)?.[1]).find((names) => names !== undefined);
  if (found !== undefined) return declarationsOf(found.match(/[\w-]+/g) ?? [], program);
  const { file, start = 0 } = complaint;
  const node = file && deletable(innermost(file, start));
  return node === undefined ? [] : [node];
}

function textOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n');
}

function innermost(file: ts.SourceFile, position: number): ts.Node {
  let found: ts.Node = file;
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(file) || position >= node.end) return;
    found = node;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The method, the property of a constant, the element or the import around a node; of several, the first of these. */
function deletable(node: ts.Node): ts.Node | undefined {
  const around: ts.Node[] = [];
  for (let at: ts.Node | undefined = node; at && !ts.isSourceFile(at); at = at.parent as ts.Node | undefined)
    around.push(at);
  const isEntry = (at: ts.Node): boolean => ts.isPropertyAssignment(at) && isConstant(at.parent.parent);
  const isElement = (at: ts.Node): boolean => ts.isArrayLiteralExpression(at.parent);
  const kinds = [ts.isMethodDeclaration, isEntry, isElement, ts.isImportDeclaration];
  return kinds.map((kind) => around.find(kind)).find((found) => found !== undefined);
}

function isConstant(node: ts.Node): boolean {
  return (
    ts.isVariableDeclaration(node) ||
    ((ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) && isConstant(node.parent))
  );
}

/** The methods of classes, and the properties of constants, that have one of these names. */
function declarationsOf(names: readonly string[], program: ts.Program): ts.Node[] {
  const paths = Object.values(EXTENDED_FILES).filter((path) => path.startsWith('src/'));
  const files = program.getSourceFiles().filter(({ fileName }) => paths.some((path) => fileName.endsWith(`/${path}`)));
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    const declares = ts.isMethodDeclaration(node) || (ts.isPropertyAssignment(node) && isConstant(node.parent.parent));
    if (declares && names.includes(node.name.getText().replaceAll("'", ''))) found.push(node);
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

/** Deletes each node and what stands between it and its neighbour before it. */
function deleteAll(nodes: ReadonlySet<ts.Node>): void {
  const files = new Set([...nodes].map((node) => node.getSourceFile().fileName));
  for (const file of files) {
    const inFile = [...nodes].filter((node) => node.getSourceFile().fileName === file);
    const fromBehind = inFile.sort((left, right) => right.end - left.end);
    let text = readFileSync(file, 'utf8');
    for (const node of fromBehind) text = text.slice(0, endBefore(node)) + text.slice(node.end);
    writeFileSync(file, text);
  }
}

function endBefore(node: ts.Node): number {
  const siblings: ts.Node[] = [];
  ts.forEachChild(node.parent, (child) => {
    siblings.push(child);
  });
  const before = siblings[siblings.indexOf(node) - 1];
  return before === undefined ? node.getFullStart() : before.end;
}

function titleOf(node: ts.Node, root: string): string {
  const file = node.getSourceFile();
  const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  return `${file.fileName.slice(root.length + 1)}:${line}`;
}
