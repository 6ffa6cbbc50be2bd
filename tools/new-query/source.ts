import ts from 'typescript';

/** A file cannot be extended because it does not look as the generator expects. */
export class MissingAnchor extends Error {}

/** The text of a TypeScript file, extended at places that its syntax tree gives. */
export class Source {
  constructor(
    readonly path: string,
    private text: string,
  ) {}

  toString(): string {
    return this.text;
  }

  /** Adds an import behind the last one whose module matches. */
  addImport(after: RegExp, statement: string): this {
    const imports = this.parse().statements.filter(ts.isImportDeclaration);
    const anchor = imports
      .filter(({ moduleSpecifier }) => after.test((moduleSpecifier as ts.StringLiteral).text))
      .at(-1);
    return this.insert(anchor?.end, `\n${statement}`, `an import that matches ${String(after)}`);
  }

  /** Adds a method behind the last public one of the only class. */
  addMethod(method: string): this {
    const members = this.publicMethods();
    return this.insert(members.at(-1)?.end, `\n\n${method}`, 'a class with a public method');
  }

  /** Adds an element behind the last one whose text matches, in whatever list it stands. */
  addElement(after: RegExp, element: string): this {
    let anchor: ts.Node | undefined;
    const file = this.parse();
    const visit = (node: ts.Node): void => {
      if (ts.isArrayLiteralExpression(node)) {
        anchor = node.elements.filter((child) => after.test(child.getText(file))).at(-1) ?? anchor;
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return this.insert(anchor?.end, `,\n${element}`, `a list with ${String(after)}`);
  }

  /** Adds a property behind the last one of the object that this constant is. */
  addProperty(constant: string, property: string): this {
    let anchor: ts.Node | undefined;
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.name.getText(file) === constant)
        anchor = lastProperty(node.initializer);
      ts.forEachChild(node, visit);
    };
    const file = this.parse();
    visit(file);
    return this.insert(anchor?.end, `,\n${property}`, `an object ${constant}`);
  }

  /** Names of the public methods, and the first arguments of their `@Get`. */
  taken(): string[] {
    return this.publicMethods().flatMap((method) => {
      const routes = (ts.getDecorators(method) ?? []).flatMap(({ expression }) =>
        ts.isCallExpression(expression) && expression.expression.getText() === 'Get' ? expression.arguments : [],
      );
      return [method.name.getText(), ...routes.filter(ts.isStringLiteral).map(({ text }) => text.split('/')[0] ?? '')];
    });
  }

  private publicMethods(): ts.MethodDeclaration[] {
    const classes = this.parse().statements.filter(ts.isClassDeclaration);
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    const members = classes.length === 1 ? [...(classes[0]?.members ?? [])] : [];
    return members
      .filter((member) => ts.isMethodDeclaration(member))
      .filter((method) => (ts.getCombinedModifierFlags(method) & hidden) === 0);
  }

  private parse(): ts.SourceFile {
    return ts.createSourceFile(this.path, this.text, ts.ScriptTarget.Latest, true);
  }

  private insert(at: number | undefined, addition: string, wanted: string): this {
    if (at === undefined) throw new MissingAnchor(`${this.path} has no ${wanted}`);
    this.text = this.text.slice(0, at) + addition + this.text.slice(at);
    return this;
  }
}

function lastProperty(node: ts.Node | undefined): ts.Node | undefined {
  let object = node;
  while (object && (ts.isAsExpression(object) || ts.isSatisfiesExpression(object))) object = object.expression;
  return object && ts.isObjectLiteralExpression(object) ? object.properties.at(-1) : undefined;
}
