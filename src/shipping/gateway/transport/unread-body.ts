import { mistakeOf } from './json-mistake';

/** Formats of bytes that are no text, by their first bytes. */
const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^\x1f\x8b/, 'gzip that no Content-Encoding names'],
  [/^x[\x01\x5e\x9c\xda]/, 'deflate that no Content-Encoding names'],
  [/^\x28\xb5\x2f\xfd/, 'zstd that no Content-Encoding names'],
  [/^PK\x03\x04/, 'a ZIP file'],
  [/^%PDF-/, 'a PDF file'],
];
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|\0[\t-~]\0[^\0]|[\t-~]\0[^\0]\0)/;

/** What a body is in truth, where its first bytes show that it is no text in the charset that was assumed. */
export function formatOf(body: Buffer, encoding: string): string | undefined {
  const start = body.toString('latin1', 0, 8);
  if (UTF_16.test(start)) return encoding.startsWith('utf-16') ? undefined : 'UTF-16 that no charset names';
  return FORMATS.find(([beginning]) => beginning.test(start))?.[1];
}

/**
 * The text of a body that is no JSON: what is wrong, and at which byte, without a value of it (D81).
 *
 * @param body the bytes of the text, where they are known
 */
export function mistakeIn(text: string, body?: Buffer): string {
  const json = withoutMark(text);
  if (json.trim() === '') return 'blank';
  const mistake = mistakeOf(json);
  if (mistake === undefined) return 'malformed';
  const { kind, at, note } = mistake;
  return `${kind} at ${placeOf(text, at + text.length - json.length, body)}${note === undefined ? '' : ` (${note})`}`;
}

/** Whether a text is JSON up to its end, and ends too early. */
export function isCutOff(text: string): boolean {
  return mistakeOf(withoutMark(text))?.kind === 'ends';
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
