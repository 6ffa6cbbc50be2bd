import { isUtf8 } from 'node:buffer';

/**
 * Lower case for comparing ASCII names: letters beyond ASCII, such as the Kelvin sign, never equal one of them.
 */
export function asciiLowerCase(text: string): string {
  return /[\x80-\uffff]/.test(text) ? text : text.toLowerCase();
}

/** Whether a text consists of visible ASCII characters and spaces, which HTTP headers carry unchanged. */
export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Patterns of texts in the OpenAPI document. */

/** Text of a client: anything but control characters. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';

const INVALID_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/** Whether a text is percent-encoded UTF-8. Throws nothing, so that hostile texts cost no more than others. */
export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  if (INVALID_ESCAPE.test(text)) return false;
  return (text.match(ESCAPES) ?? []).every((escapes) => isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex')));
}

/** Whether a text can be sent in a header unchanged, as one word. */
export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
