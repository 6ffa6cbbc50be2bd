import { isAscii, isUtf8 } from 'node:buffer';
import type { Attempt } from '../../../resilience/attempt';
import { isSuccess, wrongShape } from '../../../resilience/upstream-failure';

type Headers = Readonly<Record<string, unknown>>;

/** The body of a failed response that did not arrive whole or could not be decoded, in contrast to an empty body. */
export const UNREADABLE_BODY = Symbol('unreadable body');

/**
 * Turns the body that undici or an adapter of axios received into the `data` that a `ShippingProtocol` reads: parsed
 * JSON of a successful response, and the text of another one. A body that is no bytes, such as that of a mock in a
 * test, stays as it is.
 *
 * @throws {UpstreamFailure} where a successful response is no JSON, could not be decoded, or a byte does not fit its
 * charset
 */
export function parseBody(body: unknown, headers: Headers, status = 200, attempt: Remarked = {}): unknown {
  try {
    if (body instanceof Error) throw body;
    // axios hands over a `Buffer` from its adapter for Node, and an `ArrayBuffer` from the one for `fetch`.
    const bytes = body instanceof ArrayBuffer ? Buffer.from(body) : body;
    const text = Buffer.isBuffer(bytes) ? textOf(bytes, headers, attempt) : bytes;
    return isSuccess(status) && typeof text === 'string' ? parseJson(text, headers) : text;
  } catch (error) {
    // Where the status has failed, a body that cannot be read does not matter: the status is reported.
    if (isSuccess(status)) throw error;
    return UNREADABLE_BODY;
  }
}

/** Takes what was odd about a body that can be read nevertheless. */
type Remarked = Partial<Pick<Attempt, 'remark'>>;

/** Charsets whose bytes may be valid UTF-8 all the same, by the names that `TextDecoder` gives them. */
const LABEL_DECIDES = /^(?:utf-16|iso-2022-jp)/;
/** Charsets of which two bytes, one character, may be one of UTF-8 as well. */
const TWO_BYTES = /^(?:gb|big5|shift_jis|euc-)/;

/**
 * The text of a body. Bytes that are valid UTF-8 are UTF-8 whatever their label says, because JSON is, and real text in
 * another charset is practically never valid UTF-8. Other bytes are decoded by the `charset` of their `Content-Type`
 * where `TextDecoder` knows it (D80).
 *
 * @throws {UpstreamFailure} where a byte is no part of a character in that charset
 */
export function textOf(body: Buffer, headers: Headers, attempt: Remarked = {}): string {
  const charset = charsetOf(headers['content-type']);
  if ((charset === '' || charset === 'utf-8') && isUtf8(body)) return body.toString();
  // The bytes by which gzip begins (RFC 1952).
  if (body[0] === 0x1f && body[1] === 0x8b) throw wrongShape('no JSON: gzip that no Content-Encoding names');
  const decoder = decoderOf(charset, body);
  const { encoding } = decoder;
  if (isUtf8Despite(encoding, body)) {
    if (encoding !== 'utf-8' && !isAscii(body)) attempt.remark = { what: `UTF-8 that is labelled ${charset}` };
    return body.toString();
  }
  try {
    // As long as Node 20 is supported, the text is decoded in two steps: in one step, Node 20 decodes Windows-1252 as
    // Latin-1.
    return decoder.decode(body, { stream: true }) + decoder.decode();
  } catch {
    throw wrongShape(`charset: ${encoding === 'utf-8' ? firstMisfit(body) : `not ${encoding}`}`);
  }
}

/**
 * Whether a body that is labelled as `encoding` is UTF-8. Where two bytes of that encoding may be one character of
 * UTF-8, it takes a character of three bytes, or six of two.
 */
function isUtf8Despite(encoding: string, body: Buffer): boolean {
  if (LABEL_DECIDES.test(encoding) || !isUtf8(body)) return false;
  if (!TWO_BYTES.test(encoding)) return true;
  const text = body.toString();
  return /[^\0-\u07ff]/.test(text) || (text.match(/[\x80-\u07ff]/g) ?? []).length >= 6;
}

/**
 * The decoder of a charset; that of UTF-8 where `TextDecoder` does not know its label, or there is none.
 *
 * @throws {UpstreamFailure} for UTF-32
 */
function decoderOf(charset: string, body: Buffer) {
  // No label of `TextDecoder`, and its bytes may be valid UTF-8.
  if (/^utf-?32/.test(charset)) throw wrongShape('charset: utf-32 is not supported');
  const strict = { fatal: true, ignoreBOM: true };
  const mark = body.toString('latin1', 0, 2);
  // The label `utf-16` names no byte order: a mark shows it, or the first character, which is ASCII in JSON.
  // `TextDecoder` always takes it for little-endian, and Java writes big-endian.
  if (mark === '\xfe\xff' || (charset === 'utf-16' && body[0] === 0)) return new TextDecoder('utf-16be', strict);
  try {
    return new TextDecoder(mark === '\xff\xfe' ? 'utf-16le' : charset || 'utf-8', strict);
  } catch {
    return new TextDecoder('utf-8', strict);
  }
}

/** The value of a header; several headers of one name are joined by commas, as HTTP defines. */
export function headerText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '';
}

/**
 * A quoted value. Where the closing quote is missing, it ends with the header, so that the search takes linear time.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*"?/gs;

/**
 * The charset of a `Content-Type` in lower case; empty where it names none. `charset=` in a quoted value of another
 * parameter does not count.
 */
function charsetOf(contentType: unknown): string {
  const text = headerText(contentType);
  if (!text.includes(';')) return '';
  const parameters = text.replaceAll(QUOTED, (value) => value.replaceAll(/[;\\]/g, ''));
  return /;\s*charset\s*=["'\s]*([^;"'\s]*)/i.exec(parameters)?.[1]?.toLowerCase() ?? '';
}

/**
 * Names the first byte that is no part of a character: up to it, encoding the decoded text gives the same bytes again.
 */
function firstMisfit(body: Buffer): string {
  const encoded = Buffer.from(body.toString());
  const at = body.findIndex((byte, index) => byte !== encoded[index]);
  return `byte 0x${body.toString('hex', at, at + 1)} at ${at}`;
}

/** The media type of a response, in lower case without its parameters; empty where there is none. */
export function mediaTypeOf(contentType: unknown): string {
  const [mediaType = ''] = headerText(contentType).split(/[;,]/, 1);
  return mediaType.trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

/** The media type, for logs. A type with unusual characters is not shown, because it might contain data. */
export function describeType(contentType: unknown): string {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === '') return 'no content type';
  return /^[a-z0-9+._-]{1,40}\/[a-z0-9+._-]{1,40}$/.test(mediaType)
    ? `content type ${mediaType}`
    : 'unknown content type';
}

/**
 * Texts of so many characters are parsed whatever their shape is, so that an ordinary page pays nothing for the check.
 */
const MAX_UNCHECKED = 65_536;

/**
 * Parses the JSON of a successful response; an empty text is `undefined`.
 *
 * @throws {UpstreamFailure} where the text is no JSON, nested too deep or of too many values
 */
export function parseJson(text: string, headers: Headers): unknown {
  // A byte order mark is skipped.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (json === '') return undefined;
  if (json.length > MAX_UNCHECKED) checkShape(json);
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    const contentType = headers['content-type'];
    const type = isJsonType(mediaTypeOf(contentType)) ? '' : `, ${describeType(contentType)}`;
    throw wrongShape(`no JSON: ${mistakeOf(json, (error as Error).message)}${type}`);
  }
}

/** Whether the text of a body is a web page, whatever its label says. */
export function isHtml(text: unknown): boolean {
  return typeof text === 'string' && /^\s*<(?:!doctype html|html|head|body|title|h1|p|br)\b/i.test(text);
}

/** The end of V8's messages that name a position. Its other messages quote the text, which may be data of a client. */
const POSITION = / at position (\d+)(?: \(line \d+ column \d+\))?$/;

/** The kind of a text that is no JSON, and the position of the mistake where V8 names one (D81). */
function mistakeOf(json: string, message: string): string {
  if (json.trim() === '') return 'empty';
  if (isHtml(json)) return 'HTML';
  const [, position] = POSITION.exec(message) ?? [];
  const isAtEnd = Number(position) === json.length || message === 'Unexpected end of JSON input';
  const kind = isAtEnd ? 'cut off' : 'other text';
  return position === undefined ? kind : `${kind} at position ${position}`;
}

/** The most arrays and objects that may be nested in the JSON of the external system (D59). */
const MAX_DEPTH = 64;
/** The most values that it may have: arrays, objects, and what they contain (D59). */
const MAX_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/**
 * Bounds the shape of a JSON text before it is parsed: 5 MB of nested arrays or of empty objects would take more than
 * 300 MiB. A list of 1,000 records takes 0.3 ms, about as long as `JSON.parse`, which finds out whether the text is
 * valid. Searching the end of a string is native code; a loop over its characters would take twice as long.
 *
 * @throws {UpstreamFailure} where it is nested too deep or has too many values
 */
export function checkShape(json: string, maxDepth = MAX_DEPTH, maxValues = MAX_VALUES): void {
  let depth = 0;
  // The outermost value. In an array or object, each comma and the end stand for one more, unless it is empty.
  let values = 1;
  let before = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      do at = json.indexOf('"', at + 1);
      while (at > 0 && isEscaped(json, at));
      // A text whose last string has no end is no JSON, which `JSON.parse` finds out.
      if (at < 0) return;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) throw wrongShape(`JSON nested deeper than ${maxDepth}`);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth -= 1;
      if (before !== OPEN_ARRAY && before !== OPEN_OBJECT) values += 1;
    } else if (code === COMMA) {
      values += 1;
    }
    if (values > maxValues) throw wrongShape(`JSON of more than ${maxValues} values`);
    before = code;
  }
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(json: string, position: number): boolean {
  let first = position;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}
