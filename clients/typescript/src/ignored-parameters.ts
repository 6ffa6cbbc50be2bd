/**
 * Matches the next string of the list and the comma behind it. A newer service may add parameters (`"name";key=value`)
 * to a string; they are skipped.
 */
const MEMBER = /^"((?:[^"\\]|\\.)*)"[^,"]*(?:"[^"]*"[^,"]*)*(?:,[ \t]*(?=.)|$)/;

/**
 * Reads the names of `Shipping-Ignored-Parameters`, a structured field (RFC 9651): a list of strings.
 *
 * @returns an empty list where the field is absent or malformed
 */
export function parseIgnoredParameters(field: string | null): readonly string[] {
  const names: string[] = [];
  for (let rest = (field ?? '').trim(); rest !== '';) {
    const member = MEMBER.exec(rest);
    if (member === null) return [];
    names.push((member[1] ?? '').replace(/\\(.)/g, '$1'));
    rest = rest.slice(member[0].length);
  }
  return names;
}
