import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { wrongShape } from '../../../resilience/http-failures';
import { checkShape } from './json-shape';

/**
 * The text of a body, by the `charset` of its `Content-Type` where `TextDecoder` knows it, otherwise as UTF-8 (D80).
 *
 * @throws {UpstreamFailure} where a byte is no part of a character in that charset
 */
export function textOf(body: Buffer, contentType: unknown): string {
  const decoder = decoderOf(charsetOf(contentType));
  if (decoder === undefined) {
    // Strict decoding by `isUtf8` and `toString` is as fast as by `TextDecoder` for long texts, and faster for short
    // ones.
    if (isUtf8(body)) return body.toString();
    throw wrongShape(`charset: ${firstMisfit(body)}`);
  }
  try {
    // As long as Node 20 is supported, the text is decoded in two steps: in one step, Node 20 decodes Windows-1252 as
    // Latin-1.
    return decoder.decode(body, { stream: true }) + decoder.decode();
  } catch {
    throw wrongShape(`charset: not ${decoder.encoding}`);
  }
}

/** The decoder of a charset; `undefined` for UTF-8, and for a label that `TextDecoder` does not know. */
function decoderOf(charset: string): TextDecoder | undefined {
  if (charset === '' || charset === 'utf-8') return undefined;
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
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

/** Texts of so many characters are parsed whatever their shape is, so that an ordinary page pays nothing for the check. */
const MAX_UNCHECKED = 65_536;

/**
 * Parses the JSON of a successful response; an empty text is `undefined`.
 *
 * @throws {UpstreamFailure} where the text is no JSON, nested too deep or of too many values
 */
export function parseJson(text: string, contentType: unknown): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (json === '') return undefined;
  if (json.length > MAX_UNCHECKED) checkShape(json);
  try {
    return JSON.parse(json) as unknown;
  } catch {
    const type = isJsonType(mediaTypeOf(contentType)) ? '' : `, ${describeType(contentType)}`;
    throw wrongShape(`no JSON${firstMistake(json)}${type}`);
  }
}

/**
 * Says what a text that is no JSON starts with. Only punctuation is shown, because a letter or digit may belong to a
 * value.
 */
function firstMistake(json: string): string {
  const at = json.search(/\S/);
  if (at < 0) return ': blank';
  const first = json.charAt(at);
  if ('"{['.includes(first)) return ': malformed or incomplete';
  return ` at byte ${at}: starts with ${/[!-/:-@[-`{-~]/.test(first) ? first : 'a letter or digit'}`;
}
