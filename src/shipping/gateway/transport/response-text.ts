import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { FailureLog } from '../../../observability/logging/failure-log';
import { wrongShape } from '../../../resilience/http-failures';
import type { UpstreamFailure } from '../../../resilience/upstream-failure';
import { checkShape } from './json-shape';
import { formatOf, mistakeIn, withoutMark } from './unread-body';

type Headers = Readonly<Record<string, unknown>>;

/** The charsets of one byte a character, by the names that `TextDecoder` gives them. ASCII is one of them. */
const SINGLE_BYTE = /^(?:ibm|iso-8859|koi8|macintosh|windows|x-mac)/;
const labelLog = new FailureLog('ExternalSystem');

/**
 * The text of a body, by the `charset` of its `Content-Type` where `TextDecoder` knows it, otherwise as UTF-8 (D80).
 *
 * @throws {UpstreamFailure} where a byte is no part of a character in that charset
 */
export function textOf(body: Buffer, headers: Headers): string {
  const contentType = headers['content-type'];
  const charset = charsetOf(contentType);
  const decoder = decoderOf(charset, body);
  // Strict decoding by `isUtf8` and `toString` is as fast as by `TextDecoder` for long texts, and faster for short ones.
  if (decoder === undefined) {
    if (isUtf8(body)) return body.toString();
    throw unreadable(body, 'utf-8', firstMisfit(body, headers));
  }
  if (isMislabelled(body, decoder, contentType)) {
    labelLog.failed(`The external system sends UTF-8 that it labels ${charset}`);
    return body.toString();
  }
  try {
    // As long as Node 20 is supported, the text is decoded in two steps: in one step, Node 20 decodes Windows-1252 as
    // Latin-1.
    return decoder.decode(body, { stream: true }) + decoder.decode();
  } catch {
    throw unreadable(body, decoder.encoding, `not ${decoder.encoding}`);
  }
}

/**
 * Whether JSON is UTF-8 although its label names a charset of one byte a character: real text in such a charset, beyond
 * ASCII, is practically never valid UTF-8, and JSON is UTF-8 by RFC 8259 (D80).
 */
function isMislabelled(body: Buffer, { encoding }: TextDecoder, contentType: unknown): boolean {
  return SINGLE_BYTE.test(encoding) && isJsonType(mediaTypeOf(contentType)) && isUtf8(body) && !isAscii(body);
}

/** The decoder of a charset; `undefined` for UTF-8, and for a label that `TextDecoder` does not know. */
function decoderOf(charset: string, body: Buffer): TextDecoder | undefined {
  if (charset === '' || charset === 'utf-8') return undefined;
  // The label `utf-16` names no byte order: a mark shows it, or the first character, which is ASCII in JSON.
  // `TextDecoder` always takes it for little-endian, and Java writes big-endian.
  const isBigEndian = charset === 'utf-16' && (body[0] === 0 || (body[0] === 0xfe && body[1] === 0xff));
  try {
    const decoder = new TextDecoder(isBigEndian ? 'utf-16be' : charset, { fatal: true });
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    return undefined;
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

function unreadable(body: Buffer, encoding: string, mistake: string): UpstreamFailure {
  const format = formatOf(body, encoding);
  return wrongShape(format === undefined ? `charset: ${mistake}` : `no JSON: ${format}`);
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
  if (body === undefined) return mistakeIn(text).sentence + type;
  const charset = charsetOf(contentType);
  const encoding = decoderOf(charset, body)?.encoding ?? 'utf-8';
  if (encoding.startsWith('utf-16') && isUtf8(body) && !body.includes(0))
    return `UTF-8 that is labelled ${charset}${type}`;
  const format = formatOf(body, encoding);
  if (format !== undefined) return format + type;
  const { sentence, isCutOff } = mistakeIn(text, body);
  return sentence + (isCutOff ? countOfCharacters(body, headers) : '') + type;
}
