/** The names in an OpenAPI document that generators use. */
export interface DocumentedNames {
  readonly operations: readonly string[];
  readonly schemas: readonly string[];
}

/** Names that generators invent: numbered ones other than statuses, and parts of a composition. */
const INVENTED = /(?<!\d)\d{1,2}$|Enum\d|(?:any|all|one)Of|\d{3}(?:One|Two|Three)/i;

const EXPORTED =
  /^export (?:declare |abstract |async )*(?:const|type|interface|enum|function|class) (\w+)|^ {4}(\w+): \{$/gm;

/** The names in generated code: exports, and members of the types of openapi-typescript. */
export function namesIn(code: string): string[] {
  return [...code.matchAll(EXPORTED)].map(([, exported, member]) => exported ?? member ?? '');
}

/** What is wrong with generated names: documented ones that are missing, and invented ones. */
export function nameFaults(names: readonly string[], { operations, schemas }: DocumentedNames): string[] {
  const missing = [...operations, ...schemas].filter((name) => !names.includes(name));
  const invented = names.filter((name) => INVENTED.test(name));
  return [...missing.map((name) => `${name} is missing`), ...invented.map((name) => `${name} is an invented name`)];
}

/** The largest number of entries that mocks of orval have in a list. */
export function largestMockList(code: string): number {
  const bounds = [...code.matchAll(/length: faker\.number\.int\(\{\s*min: \d+, max: (\d+)/g)];
  if (bounds.length === 0) throw new Error('The mocks have no lists');
  return Math.max(...bounds.map(([, max]) => Number(max)));
}
