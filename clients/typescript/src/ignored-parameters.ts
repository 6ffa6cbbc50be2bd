/** A parameter of the request, or its value, that the service did not use. */
export interface IgnoredParameter {
  readonly name: string;
  /** Whether the operation has the parameter, and only the value is unknown: that of `SortBy` or `SortDirection`. */
  readonly value: boolean;
  /** Another operation that has a parameter of this name. */
  readonly of: string | undefined;
  /** A parameter of the operation whose name is near. */
  readonly didYouMean: string | undefined;
}

const PARAMETER = /; *([a-z*][\w.*-]*)(?:=(?:"((?:[^"\\]|\\.)*)"|([^";,\s]+)))?/g;
/** The first string of a list, its parameters, and the comma before the next member. */
const MEMBER = new RegExp(`^"((?:[^"\\\\]|\\\\.)*)"((?:${PARAMETER.source})*)[ \\t]*(?:,[ \\t]*(?=.)|$)`);

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

/**
 * Reads `Shipping-Ignored-Parameters`, a structured field (RFC 9651): a list of strings. Parameters that are newer than
 * this client are passed over.
 *
 * @returns nothing where the field is absent or malformed
 */
export function parseIgnoredParameters(field: string | null): readonly IgnoredParameter[] {
  const ignored: IgnoredParameter[] = [];
  for (let rest = (field ?? '').trim(); rest !== '';) {
    const member = MEMBER.exec(rest);
    if (member === null) return [];
    const [all, name = '', parameters = ''] = member;
    const given = new Map(
      Array.from(parameters.matchAll(PARAMETER), ([, key, text, bare = '?1']) => [key, text ?? bare]),
    );
    const textOf = (key: string): string | undefined => {
      const text = given.get(key);
      return text === undefined ? undefined : unescaped(text);
    };
    ignored.push({
      name: unescaped(name),
      value: given.get('value') === '?1',
      of: textOf('of'),
      didYouMean: textOf('did-you-mean'),
    });
    rest = rest.slice(all.length);
  }
  return ignored;
}
