import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import * as failures from '../../../resilience/http-failures';

const NO_UTF8_LABEL = /^(?:hz-gb-2312|(?:[a-z0-9-]{0,20}-)?utf-?7)$/;
/**
 * The characters of the bytes 0x80 to 0x9f, which `TextDecoder` takes for control characters until Node 20 is dropped. The
 * other bytes are the same as in Latin-1.
 */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const UTF8_MARK = Buffer.from('\ufeff');
const UTF16_BIG_ENDIAN_MARK = Buffer.from([0xfe, 0xff]);

/**
 * The text of a body, by the `charset` of its `Content-Type` where `TextDecoder` knows it, otherwise as UTF-8 (D80).
 *
 * @throws {UpstreamFailure} where a byte does not fit
 */
export function textOf(body: Buffer, contentType: unknown): string {
  const decoder = decoderOf(body, charsetOf(contentType));
  if (decoder === undefined) {
    // Strict decoding by `isUtf8` and `toString` is as fast as by `TextDecoder` for long texts, and faster for short ones.
    if (isUtf8(body)) return body.toString();
    throw failures.wrongCharset(firstMisfit(body));
  }
  if (decoder.encoding === 'windows-1252') {
    return body
      .toString('latin1')
      .replaceAll(/[\x80-\x9f]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80));
  }
  try {
    return decoder.decode(body);
  } catch {
    throw failures.wrongCharset(`not ${decoder.encoding}`);
  }
}

/** `undefined` for UTF-8. */
function decoderOf(body: Buffer, charset: string): TextDecoder | undefined {
  if (charset === '' || charset === 'utf-8' || charset === 'utf8' || startsWith(body, UTF8_MARK)) return undefined;
  // A text that looks like ASCII means something else in these, which `TextDecoder` does not know.
  if (NO_UTF8_LABEL.test(charset)) throw failures.wrongCharset('not known');
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    if (decoder.encoding === 'utf-8') return undefined;
    const isBigEndian = decoder.encoding === 'utf-16le' && startsWith(body, UTF16_BIG_ENDIAN_MARK);
    return isBigEndian ? new TextDecoder('utf-16be', { fatal: true }) : decoder;
  } catch {
    return undefined;
  }
}

function startsWith(body: Buffer, mark: Buffer): boolean {
  return body.subarray(0, mark.length).equals(mark);
}

/** The value of a header; the values of several are joined as HTTP has it. */
export function headerText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '';
}

/** In lower case; empty without one. */
function charsetOf(contentType: unknown): string {
  for (const parameter of headerText(contentType).toLowerCase().split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=', 2);
    if (name.trim() === 'charset') return value.replaceAll(/["']/g, '').trim();
  }
  return '';
}

/** The first byte that is no part of a character. Encoding what was decoded gives the same bytes up to there. */
function firstMisfit(body: Buffer): string {
  const encoded = Buffer.from(body.toString());
  let at = 0;
  while (at < body.length && body[at] === encoded[at]) at += 1;
  return at < body.length ? `byte 0x${(body[at] ?? 0).toString(16).padStart(2, '0')} at ${at}` : `incomplete at ${at}`;
}

/** The media type of a response, in lower case without its parameters; empty where there is none. */
export function mediaTypeOf(contentType: unknown): string {
  const [mediaType = ''] = headerText(contentType).split(/[;,]/, 1);
  return mediaType.trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

/** For logs. Types with other characters might hold anything. */
export function describeType(contentType: unknown): string {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === '') return 'no content type';
  return /^[a-z0-9+._-]{1,40}\/[a-z0-9+._-]{1,40}$/.test(mediaType)
    ? `content type ${mediaType}`
    : 'unknown content type';
}

/**
 * Parses the JSON of a successful response; an empty text is `undefined`.
 *
 * @throws {UpstreamFailure} where the text is no JSON
 */
export function parseJson(text: string, contentType: unknown): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (json === '') return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    const type = isJsonType(mediaTypeOf(contentType)) ? '' : `, ${describeType(contentType)}`;
    throw failures.wrongShape(`no JSON${firstMistake(json)}${type}`);
  }
}

/** Only a sign is named: letters and digits may belong to a value. */
function firstMistake(json: string): string {
  const start = json.trimStart();
  if (start === '') return ': blank';
  const [first = ''] = start;
  if ('"{['.includes(first)) return ': malformed or incomplete';
  const isSign = /[!-/:-@[-`{-~]/.test(first);
  return ` at byte ${json.length - start.length}: starts with ${isSign ? first : 'a letter or digit'}`;
}
