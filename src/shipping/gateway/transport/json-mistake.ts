/** What is wrong with a text that is no JSON. It quotes no value of the text, which may be data of a client. */
export interface Mistake {
  /** Such as `NaN`. */
  readonly kind: string;
  /** The position of its first character. */
  readonly at: number;
  /** More about it, such as `in a string`. */
  readonly note?: string;
}

const HTML = /^<(?:!doctype html|html|head|body|title|h1|p)\b/i;
const SPACES = /[ \t\n\r]*/y;
/** A value other than a string, an array or an object. */
const VALUE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** The first characters of such a value at the end of a text that was cut off inside it, such as `tru` or `1.`. */
const CUT_VALUE = /(?:-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+[eE][+-]?)?|[eE][+-]?))?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/y;
/** Words that writers of JSON in other languages take for values of JSON. */
const FOREIGN_WORD = /[+-]?(?:NaN|Infinity|undefined|None|True|False|TRUE|FALSE|NULL|nil)(?![\w$])/y;
const STRING_PART = /[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** The beginning of an escaped character, at the end of the text. */
const CUT_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y;
const CLOSING = { '{': '}', '[': ']' };

/**
 * The first mistake of a text that is no JSON, at the position up to which it could still become JSON; a trailing comma
 * stands before it. Its time is linear, and its memory is a character for each open bracket.
 *
 * `JSON.parse` names some positions, too, but in messages that differ between versions of Node and quote the text.
 *
 * @returns `undefined` where the text is JSON
 */
export function mistakeOf(text: string): Mistake | undefined {
  const at = behindSpaces(text, 0);
  if (text.charAt(at) === '<') return { kind: HTML.test(text.slice(at, at + 16)) ? 'HTML' : 'markup', at };
  return new Scanner(text).run();
}

class Scanner {
  /** The closing brackets that are still owed. */
  private readonly owed: string[] = [];
  /** What the text has before `at`; empty at its beginning. */
  private before: '' | '{' | '[' | ',' | ':' | 'name' | 'value' = '';
  private at = 0;

  constructor(private readonly text: string) {}

  run(): Mistake | undefined {
    for (;;) {
      this.at = behindSpaces(this.text, this.at);
      const char = this.text.charAt(this.at);
      if (this.before === 'value' && this.owed.length === 0) return this.behindTheEnd(char);
      if (char === '') return this.ends(`in an ${this.owed.at(-1) === '}' ? 'object' : 'array'}`);
      const mistake = this.step(char);
      if (mistake !== undefined) return mistake;
    }
  }

  private step(char: string): Mistake | undefined {
    const { text, at, before } = this;
    const closing = this.owed.at(-1);
    if (char === closing && before === ',') return { kind: 'trailing comma', at: text.lastIndexOf(',', at) };
    if (char === closing && before !== 'name' && before !== ':') {
      this.owed.pop();
      return this.goOn(at + 1, 'value');
    }
    if (before === 'value') return char === ',' ? this.goOn(at + 1, char) : this.unexpected(char);
    if (before === 'name') return char === ':' ? this.goOn(at + 1, char) : this.unexpected(char);
    const isName = before === '{' || (before === ',' && closing === '}');
    if (char === '"') return this.string(isName ? 'name' : 'value');
    return isName ? this.unexpected(char) : this.value(char);
  }

  private value(char: string): Mistake | undefined {
    const { text, at } = this;
    if (char === '{' || char === '[') {
      this.owed.push(CLOSING[char]);
      return this.goOn(at + 1, char);
    }
    if (matches(CUT_VALUE, text, at)) return this.ends('in a value');
    if (matches(VALUE, text, at)) return this.goOn(VALUE.lastIndex, 'value');
    if (matches(FOREIGN_WORD, text, at)) return { kind: text.slice(at, FOREIGN_WORD.lastIndex), at };
    return this.unexpected(char);
  }

  private string(role: 'name' | 'value'): Mistake | undefined {
    const { text } = this;
    let at = this.at + 1;
    while (matches(STRING_PART, text, at)) at = STRING_PART.lastIndex;
    const char = text.charAt(at);
    if (char === '"') return this.goOn(at + 1, role);
    if (char === '' || matches(CUT_ESCAPE, text, at)) return this.ends('in a string');
    return char === '\\' ? { kind: 'bad escape', at } : { kind: 'control character', at, note: characterOf(char) };
  }

  private goOn(at: number, before: typeof this.before): Mistake | undefined {
    this.at = at;
    this.before = before;
    return undefined;
  }

  private behindTheEnd(char: string): Mistake | undefined {
    if (char === '') return undefined;
    const note = /["{[]/.test(char) ? 'another document' : characterOf(char);
    return { kind: 'text behind the end', at: this.at, note };
  }

  private unexpected(char: string): Mistake {
    const { at } = this;
    if (/[\p{L}_$]/u.test(char)) return { kind: 'text without quotes', at };
    return { kind: char < ' ' ? 'control character' : 'unexpected character', at, note: characterOf(char) };
  }

  private ends(note: string): Mistake {
    return { kind: 'ends', at: this.text.length, note };
  }
}

/** The character, where it is punctuation, a control character or a kind of space, and so no part of a value. */
function characterOf(char: string): string | undefined {
  if (/[!-/:-@[-`{-~]/.test(char)) return char;
  if (!/[\p{Cc}\p{Cf}\p{Z}“”‘’„«»]/u.test(char)) return undefined;
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function behindSpaces(text: string, at: number): number {
  matches(SPACES, text, at);
  return SPACES.lastIndex;
}

/**
 * What is wrong with a text that is no JSON, and at which byte; and whether it is JSON that was cut off. The sentence
 * quotes no value of the text, which may be data of a client (D81).
 *
 * @param body the bytes of the text, where they are known
 */
export function mistakeIn(text: string, body?: Buffer): { readonly sentence: string; readonly isCutOff: boolean } {
  const json = withoutMark(text);
  const mistake = mistakeOf(json);
  if (mistake === undefined) return { sentence: 'malformed', isCutOff: false };
  const { kind, at, note } = mistake;
  const isCutOff = kind === 'ends';
  if (isCutOff && json.trim() === '') return { sentence: 'blank', isCutOff: false };
  const place = placeOf(text, at + text.length - json.length, body);
  return { sentence: `${kind} at ${place}${note === undefined ? '' : ` (${note})`}`, isCutOff };
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** In charsets of several bytes a character other than UTF-8, bytes are not counted. */
function placeOf(text: string, at: number, body: Buffer | undefined): string {
  const isUtf8 = body === undefined || Buffer.byteLength(text) === body.length;
  if (isUtf8) return `byte ${Buffer.byteLength(text.slice(0, at))}`;
  return body.length === text.length ? `byte ${at}` : `character ${at}`;
}
