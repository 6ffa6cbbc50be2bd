/** What a text that is no JSON has wrong. It never has a value of the text, which may be data. */
export interface Mistake {
  /** Such as `NaN`. */
  readonly kind: string;
  /** The position of its first character. */
  readonly at: number;
  /** More about it, such as `in a string`. */
  readonly note?: string;
}

/** Texts that are something else from their first character on. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^<(?:\?xml|[\w-]{1,32}:)/i, 'XML'],
  [/^<(?:!doctype html|html|head|body|title|h1|p)\b/i, 'HTML'],
  [/^<br ?\/?>\s{0,9}<b>(?:Fatal|Parse|Warning|Notice|Deprecated)/i, 'a message of PHP'],
  [/^(?:PHP )?(?:Fatal error|Parse error|Warning|Notice|Deprecated):/, 'a message of PHP'],
  [/^</, 'markup'],
  [/^HTTP\/\d/, 'the head of another HTTP response'],
  [/^(?:data|event|id|retry): ?/, 'server-sent events'],
  [/^(?:\)]\}'|while ?\((?:1|true)\)|for ?\(;;\)|\{\} ?&&)/, 'a prefix against scripts'],
  [/^(?:typeof |\/\*\*\/ ?)?[A-Za-z_$][\w$.]{0,99}\(\s{0,9}[{["]/, 'JSONP'],
];

/** Words that writers of JSON in other languages take for values of JSON. */
const FOREIGN_WORDS = /[+-]?(?:NaN|Infinity|undefined|None|True|False|TRUE|FALSE|NULL|nil)(?![\w$])/y;
const SPACES = /[ \t\n\r]*/y;
const WORD = /[\p{L}_$][\w$-]{0,31}/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A number, and behind it what may follow one in JSON. */
const WHOLE_NUMBER = new RegExp(`${NUMBER.source}(?![^,\\]} \\t\\n\\r])`, 'y');
/** Numbers that are none in JSON, by how they begin. */
const FOREIGN_NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/[+-]?0x/iy, 'hexadecimal number'],
  [/\+[\d.]/y, 'plus sign before a number'],
  [/-?0\d/y, 'number with a leading zero'],
  [/-?\.\d/y, 'number without a digit before its point'],
  [/-?\d+\.(?!\d)/y, 'number without a digit behind its point'],
  [/-?\d+(?:\.\d+)?e(?:[+-](?!\d)|(?![\d+-]))/iy, 'number without an exponent'],
];
/** What may follow a backslash, and what may where the text ends there. */
const ESCAPED = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/;
const CUT_ESCAPED = /^(?:u[\da-fA-F]{0,3})?$/;
const LITERALS = ['true', 'false', 'null'];
const CLOSING = { '{': '}', '[': ']' };

/**
 * The first mistake of a text that is no JSON: the position up to which it could still become JSON, but for values that
 * JSON has not got, which begin earlier. Its time is linear, and its memory is a character for each open bracket.
 *
 * `JSON.parse` names some positions, too, but in messages that differ between versions of Node and quote the text.
 *
 * @returns `undefined` where the text is JSON
 */
export function mistakeOf(text: string): Mistake | undefined {
  const start = behindSpaces(text, 0);
  for (const [beginning, kind] of BEGINNINGS) {
    if (beginning.test(text.slice(start, start + 128))) return { kind, at: start };
  }
  return new Scanner(text).run();
}

/** What may come next. `first` and `next` are those of an array or object that begins or goes on. */
type Expected = 'value' | 'first value' | 'first name' | 'next value' | 'next name' | 'colon' | 'comma';

class Scanner {
  /** The closing brackets that are still owed. */
  private readonly open: string[] = [];
  private expected: Expected = 'value';
  private comma = 0;
  private at = 0;

  constructor(private readonly text: string) {}

  run(): Mistake | undefined {
    for (;;) {
      this.at = behindSpaces(this.text, this.at);
      const char = this.text.charAt(this.at);
      if (this.expected === 'comma' && this.open.length === 0) return this.behindTheEnd(char);
      if (char === '') return this.ends(`in an ${this.open.at(-1) === '}' ? 'object' : 'array'}`);
      const mistake = this.step(char);
      if (mistake !== undefined) return mistake;
    }
  }

  private step(char: string): Mistake | undefined {
    const { expected, at } = this;
    const isEmpty = expected === 'first value' || expected === 'first name';
    if (char === this.open.at(-1) && (isEmpty || expected === 'comma')) {
      this.open.pop();
      return this.goOn(at + 1, 'comma');
    }
    if (char === '/' || char === '#') return { kind: 'comment', at };
    if (expected === 'colon') return char === ':' ? this.goOn(at + 1, 'value') : { kind: 'no colon', at };
    if (expected === 'comma') return this.atComma(char);
    if (char === this.open.at(-1) && expected !== 'value') return { kind: 'trailing comma', at: this.comma };
    if (char === '"') return this.string();
    if (expected.endsWith('name')) return this.mistakenName(char);
    return this.value(char);
  }

  private atComma(char: string): Mistake | undefined {
    const { at } = this;
    const owed = this.open.at(-1);
    if (char === ',') {
      this.comma = at;
      return this.goOn(at + 1, owed === '}' ? 'next name' : 'next value');
    }
    if (char === '}' || char === ']') return { kind: `${char} instead of ${owed}`, at };
    if (/["{[]/.test(char)) return { kind: 'no comma', at };
    return { kind: 'text behind a value', at, note: characterOf(char) };
  }

  private mistakenName(char: string): Mistake {
    const { at } = this;
    if (char === "'") return { kind: 'single quote', at };
    if (/\d/.test(char)) return { kind: 'number instead of a name', at };
    if (matches(WORD, this.text, at)) return { kind: 'name without quotes', at };
    return this.unexpected(char);
  }

  private value(char: string): Mistake | undefined {
    const { text, at } = this;
    if (char === '{' || char === '[') {
      this.open.push(CLOSING[char]);
      return this.goOn(at + 1, char === '{' ? 'first name' : 'first value');
    }
    if (char === "'") return { kind: 'single quote', at };
    if (char === ',' || char === '}' || char === ']') return { kind: 'no value', at };
    if (matches(WHOLE_NUMBER, text, at)) return this.goOn(WHOLE_NUMBER.lastIndex, 'comma');
    if (matches(FOREIGN_WORDS, text, at)) return { kind: text.slice(at, FOREIGN_WORDS.lastIndex), at };
    for (const [number, kind] of FOREIGN_NUMBERS) {
      if (matches(number, text, at)) return this.endsOr(number.lastIndex, { kind, at });
    }
    if (matches(NUMBER, text, at)) return this.goOn(NUMBER.lastIndex, 'comma');
    if (char === '-') return this.endsOr(at + 1, { kind: 'minus sign without a number', at });
    const literal = LITERALS.find((each) => text.startsWith(each, at));
    if (literal !== undefined) return this.goOn(at + literal.length, 'comma');
    if (LITERALS.some((each) => each.startsWith(text.slice(at)))) return this.ends('in a literal');
    if (matches(WORD, text, at)) return { kind: 'text without quotes', at };
    return this.unexpected(char);
  }

  private string(): Mistake | undefined {
    const { text } = this;
    for (let at = this.at + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) return this.goOn(at + 1, this.expected.endsWith('name') ? 'colon' : 'comma');
      if (code < 0x20) return { kind: 'control character', at, note: characterOf(text.charAt(at)) };
      if (code !== 0x5c) continue;
      const escaped = text.slice(at + 1, at + 6);
      if (ESCAPED.test(escaped)) at += escaped.startsWith('u') ? 5 : 1;
      else if (at + 1 + escaped.length === text.length && CUT_ESCAPED.test(escaped)) break;
      else return { kind: 'bad escape', at };
    }
    return this.ends('in a string');
  }

  private goOn(at: number, expected: Expected): Mistake | undefined {
    this.at = at;
    this.expected = expected;
    return undefined;
  }

  /** What looks like a wrong number may be one that was cut off. */
  private endsOr(end: number, mistake: Mistake): Mistake {
    return end === this.text.length && /[-.e+]$/i.test(this.text) ? this.ends('in a number') : mistake;
  }

  private behindTheEnd(char: string): Mistake | undefined {
    if (char === '') return undefined;
    const note = /["{[]/.test(char) ? 'another document' : characterOf(char);
    return { kind: 'text behind the end', at: this.at, note };
  }

  private unexpected(char: string): Mistake {
    const isControl = char.charCodeAt(0) < 0x20;
    return { kind: isControl ? 'control character' : 'unexpected character', at: this.at, note: characterOf(char) };
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
 * What is wrong with a text that is no JSON, and at which byte, without a value of it (D81); and whether it is JSON that
 * was cut off.
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
