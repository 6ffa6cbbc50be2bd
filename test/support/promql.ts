/** What an expression of PromQL asks for. */
export interface Selection {
  /** Metrics by name, each with the labels that it is selected by. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels that results are grouped or matched by. */
  readonly groupings: readonly string[];
}

const FUNCTIONS = new Set(
  ['absent', 'changes', 'count', 'histogram_quantile', 'increase', 'max', 'min', 'rate', 'sum'], // prettier-ignore
);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)/g;
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);
const SELECTOR = /([a-zA-Z_:][\w:]*)(\s*\()?(?:\{([^{}]*)\})?/g;
const MATCHER = /^\s*([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*""\s*$/;

/** Reads as much of an expression as it takes to know what it asks for. Throws where it cannot be one. */
export function readExpression(expression: string): Selection {
  // What stands in quotes is of no interest here, and may hold anything.
  const plain = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (!isBalanced(plain)) throw new Error(`Unbalanced: ${expression}`);
  const groupings: string[] = [];
  const rest = plain.replace(/\[(?:\$__rate_interval|\d+[smhd])\]/g, ' ').replace(GROUPING, (_, labels: string) => {
    groupings.push(...labels.split(',').map((label) => label.trim()));
    return ' ';
  });
  const metrics: { name: string; labels: string[] }[] = [];
  for (const [, name = '', call, matchers] of rest.matchAll(SELECTOR)) {
    if (WORDS.has(name)) continue;
    if (call === undefined) metrics.push({ name, labels: matchers === undefined ? [] : labelsOf(matchers) });
    else if (!FUNCTIONS.has(name)) throw new Error(`Unknown function ${name}`);
  }
  return { metrics, groupings };
}

function labelsOf(matchers: string): string[] {
  return matchers.split(',').map((matcher) => {
    const name = MATCHER.exec(matcher)?.[1];
    if (name === undefined) throw new Error(`No matcher: ${matcher}`);
    return name;
  });
}

function isBalanced(expression: string): boolean {
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const character of expression) {
    if ('([{'.includes(character)) open.push(character);
    else if (character in pairs && open.pop() !== pairs[character]) return false;
  }
  return open.length === 0;
}
