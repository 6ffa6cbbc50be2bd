/**
 * Tells two JSON values apart, one line for each place, by JSON Pointer: `- pointer: value` for what only the first has,
 * `+ pointer: value` for what only the second has, both where they differ.
 */
export function differences(before: unknown, after: unknown, pointer = ''): string[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(before[key], after[key], `${pointer}/${escaped(key)}`));
  }
  const [old, fresh] = [before, after].map((value) => JSON.stringify(value) as string | undefined);
  if (old === fresh) return [];
  return [
    ...(old === undefined ? [] : [`- ${pointer}: ${old}`]),
    ...(fresh === undefined ? [] : [`+ ${pointer}: ${fresh}`]),
  ];
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** RFC 6901. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
