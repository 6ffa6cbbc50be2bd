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
