/** One `name=value` of a query string, decoded; `malformed` where its encoding is none. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  readonly malformed: boolean;
}

/** A query string as it came: every parameter, in order, nothing merged or dropped. */
export class RawQuery {
  /** Set where the caller asked for it: parameters that nobody knows are refused instead of ignored. */
  refuseUnknown = false;

  constructor(readonly parameters: readonly RawParameter[]) {}
}

/**
 * Reads a query string by the rules of HTML forms (`+` is a space). Never throws: what cannot be decoded is marked, so
 * that the one who knows the parameter can say so.
 *
 * @param text what follows the `?`, one character for each byte, as Node hands it over
 */
export function parseQuery(text: string): RawQuery {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return new RawQuery(pairs.map(parseParameter));
}

function parseParameter(pair: string): RawParameter {
  const equals = pair.indexOf('=');
  const name = decode(equals === -1 ? pair : pair.slice(0, equals));
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
  return { name: name ?? '', value: value ?? '', malformed: name === undefined || value === undefined };
}

const NEEDS_DECODING = /[%+\x80-\uffff]/;
const BEYOND_ASCII = /[\x80-\uffff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(text: string): string | undefined {
  if (!NEEDS_DECODING.test(text)) return text;
  try {
    const characters = BEYOND_ASCII.test(text) ? utf8.decode(Buffer.from(text, 'latin1')) : text;
    return decodeURIComponent(characters.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
