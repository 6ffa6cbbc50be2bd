/** A string of a list, with its parameters: strings, or `true` where one has no value. */
export interface ListedString {
  readonly text: string;
  readonly parameters: Readonly<Record<string, string | true>>;
}

const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const KEY = /; *([a-z*][a-z0-9_.*-]*)/y;
const EQUALS = /=/y;
const SEPARATOR = /[ \t]*,[ \t]*(?=.)/y;

/**
 * Parses a list of strings with parameters (RFC 9651, 4.2).
 *
 * @throws where the text is anything else
 */
export function parseStringList(text: string): ListedString[] {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at += match[0].length;
    return match[1] ?? '';
  };
  const string = (): string => {
    const inner = take(STRING);
    if (inner === undefined) throw new Error(`no string at ${at}: ${text}`);
    return inner.replace(/\\(.)/g, '$1');
  };
  const members: ListedString[] = [];
  do {
    const member = string();
    const parameters: Record<string, string | true> = {};
    for (let key = take(KEY); key !== undefined; key = take(KEY)) {
      parameters[key] = take(EQUALS) === undefined ? true : string();
    }
    members.push({ text: member, parameters });
  } while (take(SEPARATOR) !== undefined);
  if (at !== text.length) throw new Error(`something else at ${at}: ${text}`);
  return members;
}
