import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { ThrottledLog } from '../../../observability/logging/throttled-log';
import { isSuccess, wrongShape } from '../../../resilience/upstream-failure';
import { mistakeIn, withoutMark } from './json-mistake';
import { checkShape } from './json-shape';

type Headers = Readonly<Record<string, unknown>>;

/** The body of a failed response that did not arrive whole or could not be decoded, in contrast to an empty body. */
export const UNREADABLE_BODY = Symbol('unreadable body');

/**
 * Turns the body that undici or an adapter of axios received into the `data` that a `ShippingProtocol` reads: parsed
 * JSON of a successful response, and the text of another one. A body that is an object already, such as that of a mock
 * in a test, stays as it is.
 *
 * @throws {UpstreamFailure} where a successful response is no JSON, could not be decoded, or a byte does not fit its
 * charset
 */
export function parseBody(body: unknown, headers: Headers, status = 200): unknown {
  try {
    if (body instanceof Error) throw body;
    // axios hands over a `Buffer` from its adapter for Node, and an `ArrayBuffer` from the one for `fetch`.
    const bytes = body instanceof ArrayBuffer ? Buffer.from(body) : body;
    const isBytes = Buffer.isBuffer(bytes);
    const text = isBytes ? textOf(bytes, headers) : bytes;
    if (!isSuccess(status) || typeof text !== 'string') return text;
    return parseJson(text, headers, isBytes ? bytes : undefined);
  } catch (error) {
    // Where the status has failed, a body that cannot be read does not matter: the status is reported.
    if (isSuccess(status)) throw error;
    return UNREADABLE_BODY;
  }
}

/** The charsets of one byte a character, by the names that `TextDecoder` gives them. ASCII is one of them. */
const SINGLE_BYTE = /^(?:ibm|iso-8859|koi8|macintosh|windows|x-mac)/;
const labelLog = new ThrottledLog('ExternalSystem');

/**
 * The text of a body, by the `charset` of its `Content-Type` where `TextDecoder` knows it, otherwise as UTF-8 (D80).
 *
 * @throws {UpstreamFailure} where a byte is no part of a character in that charset
 */
export function textOf(body: Buffer, headers: Headers): string {
  const contentType = headers['content-type'];
  const charset = charsetOf(contentType);
  const decoder = decoderOf(charset, body);
  const { encoding } = decoder;
  if (isMislabelled(body, encoding, contentType)) {
    labelLog.failed(`The external system sends UTF-8 that it labels ${charset}`);
    return body.toString();
  }
  try {
    // As long as Node 20 is supported, the text is decoded in two steps: in one step, Node 20 decodes Windows-1252 as
    // Latin-1.
    return decoder.decode(body, { stream: true }) + decoder.decode();
  } catch {
    if (isGzip(body)) throw wrongShape(`no JSON: ${GZIP}`);
    throw wrongShape(`charset: ${encoding === 'utf-8' ? firstMisfit(body, headers) : `not ${encoding}`}`);
  }
}

/**
 * Whether JSON is UTF-8 although its label names a charset of one byte a character: real text in such a charset, beyond
 * ASCII, is practically never valid UTF-8, and JSON is UTF-8 by RFC 8259 (D80).
 */
function isMislabelled(body: Buffer, encoding: string, contentType: unknown): boolean {
  return SINGLE_BYTE.test(encoding) && isJsonType(mediaTypeOf(contentType)) && isUtf8(body) && !isAscii(body);
}

/** The decoder of a charset; that of UTF-8 where `TextDecoder` does not know its label, or there is none. */
function decoderOf(charset: string, body: Buffer): TextDecoder {
  // The label `utf-16` names no byte order: a mark shows it, or the first character, which is ASCII in JSON.
  // `TextDecoder` always takes it for little-endian, and Java writes big-endian.
  const isBigEndian = charset === 'utf-16' && (body[0] === 0 || (body[0] === 0xfe && body[1] === 0xff));
  const strict = { fatal: true, ignoreBOM: true };
  try {
    return new TextDecoder(isBigEndian ? 'utf-16be' : charset || 'utf-8', strict);
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
  const parameters = headerText(contentType).replaceAll(QUOTED, (value) => value.replaceAll(/[;\\]/g, ''));
  return /;\s*charset\s*=["'\s]*([^;"'\s]*)/i.exec(parameters)?.[1]?.toLowerCase() ?? '';
}

const GZIP = 'gzip that no Content-Encoding names';

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/**
 * Names the first byte that is no part of a character: up to it, encoding the decoded text gives the same bytes again.
 */
function firstMisfit(body: Buffer, headers: Headers): string {
  const encoded = Buffer.from(body.toString());
  const at = body.findIndex((byte, index) => byte !== encoded[index]);
  const isAtEnd = body.length - at < 4 && mistakeIn(body.toString('utf8', 0, at)).isCutOff;
  return `byte 0x${body.toString('hex', at, at + 1)} at ${at}${isAtEnd ? countOfCharacters(body, headers) : ''}`;
}

/**
 * Some servers count the characters of a body for its `Content-Length`. Where it has any beyond ASCII, the body then
 * lacks its last bytes.
 */
function countOfCharacters(body: Buffer, headers: Headers): string {
  const isCounted = headers['content-length'] !== undefined && !headers['content-encoding'];
  return isCounted && !isAscii(body) ? ', where Content-Length may count characters instead of bytes' : '';
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

/** Texts of so many characters are parsed whatever their shape is, so that an ordinary page pays nothing for the check. */
const MAX_UNCHECKED = 65_536;

/**
 * Parses the JSON of a successful response; an empty text is `undefined`.
 *
 * @param body the bytes of the text, where they are known
 * @throws {UpstreamFailure} where the text is no JSON, nested too deep or of too many values
 */
export function parseJson(text: string, headers: Headers, body?: Buffer): unknown {
  const json = withoutMark(text);
  if (json === '') return undefined;
  if (json.length > MAX_UNCHECKED) checkShape(json);
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw wrongShape(`no JSON: ${causeOf(text, headers, body)}`);
  }
}

/** Why a text is no JSON (D81). */
function causeOf(text: string, headers: Headers, body?: Buffer): string {
  const contentType = headers['content-type'];
  const type = isJsonType(mediaTypeOf(contentType)) ? '' : `, ${describeType(contentType)}`;
  if (body !== undefined && isGzip(body)) return GZIP + type;
  const { sentence, isCutOff } = mistakeIn(text, body);
  return sentence + (isCutOff && body !== undefined ? countOfCharacters(body, headers) : '') + type;
}
