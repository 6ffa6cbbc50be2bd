/** A JSON object with fields in PascalCase or camelCase. */
export type UpstreamObject = Readonly<Record<string, unknown>>;

export function isUpstreamObject(value: unknown): value is UpstreamObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The kind of a JSON value, for a log that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number') return typeof value === 'string' ? 'text' : typeof value;
  if (Number.isSafeInteger(value)) return value < 0 ? 'negative number' : 'number';
  if (Number.isInteger(value)) return 'integer beyond 2^53';
  return Number.isFinite(value) ? 'number with a fraction' : 'number out of range';
}

/** The value of a field, by its name in PascalCase or in camelCase. */
export function fieldOf(object: UpstreamObject, name: string): unknown {
  const value = object[name] ?? object[name.charAt(0).toLowerCase() + name.slice(1)];
  return value === undefined ? object[name] : value;
}

/** A count, also one that is sent as text, as those with protobuf do; `undefined` for any other value (D14). */
export function countOf(value: unknown, min = 0): number | undefined {
  const count = typeof value === 'string' && /^\s*(?:0|[1-9]\d*)\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= min ? count : undefined;
}

/** Whether an object has one of the fields, with whatever value. */
export function hasAnyOf(names: readonly string[], object: UpstreamObject): boolean {
  return names.some((name) => fieldOf(object, name) !== undefined);
}

/** Whether a value is a text that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * A blank text counts as an absent value, not as a malformed one, where a number, boolean, date or list is expected
 * (D19).
 */
export function isAbsent(value: unknown): boolean {
  return value == null || (typeof value === 'string' && !isText(value));
}

/** Reads a boolean; `undefined` for a value that is no boolean, or that can be read as both (D19). */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || (typeof value === 'string' && /^true$/i.test(value))) return true;
  if (value === 0 || value === '0' || (typeof value === 'string' && /^false$/i.test(value))) return false;
  return undefined;
}
