import type { FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';

/** White space of Unicode, and the invisible characters that come along when text is pasted (D3). */
const BLANK = /[\s\u0085\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
/** Several clients write the names of lists with brackets (D2). */
const LIST_BRACKETS = /\[\d*\]$/;

/** A decoded `name=value`; `undefined` stands for malformed percent-encoding. */
interface RawParameter {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** The query string as it was sent, without the `?`. */
export function queryStringOf({ originalUrl }: FastifyRequest): string {
  const mark = originalUrl.indexOf('?');
  return mark === -1 ? '' : originalUrl.slice(mark + 1);
}

/** The `name=value` pairs as they were sent, in order, with repetitions. */
export function pairsOf(query: string): string[] {
  return query.split('&').filter((pair) => pair !== '');
}

/** Decodes by the rules of HTML forms: `+` is a space. */
export function decodePair(pair: string): RawParameter {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: decode(pair), value: '' };
  return { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  const encoded = text.replaceAll('+', ' ');
  return isDecodable(encoded) ? decodeURIComponent(encoded) : undefined;
}

/**
 * Whether `decodeURIComponent` succeeds, because an exception for each malformed name would cost a client nothing and the
 * service 5 µs. The bytes of all sequences are looked at together, with a space for the text between two of them.
 */
function isDecodable(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false;
  const [, ...parts] = text.split('%');
  const bytes = parts.map((part) => (part.length === 2 ? part : `${part.slice(0, 2)}20`));
  return isUtf8(Buffer.from(bytes.join(''), 'hex'));
}

/** Without blanks at both ends. A loop takes linear time, also where a long run of blanks stands inside. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (start < end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The name of a parameter as it is compared: without case and without the brackets of lists. */
export function comparableName(name: string): string {
  return name.toLowerCase().replace(LIST_BRACKETS, '');
}
