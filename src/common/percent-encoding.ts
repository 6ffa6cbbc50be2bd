import { isUtf8 } from 'node:buffer';

const INVALID_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/** Whether a text is percent-encoded UTF-8. Throws nothing, so that hostile texts cost no more than others. */
export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  if (INVALID_ESCAPE.test(text)) return false;
  return (text.match(ESCAPES) ?? []).every((escapes) => isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex')));
}
