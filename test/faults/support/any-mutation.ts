import * as fc from 'fast-check';

/** Texts that parsers of HTTP, URLs and JSON treat specially. */
const PIECES = [
  ...['%', '%00', '%c3%28', '&', '[]', '..', '0x', '-1', '1e999', ' ', '"', '}', 'A'.repeat(300)],
  ...['\0', '\t', '\r', '\n', '\r\n', '\r\n\r\n', '\xef\xbb\xbf', '\x80', '\xff'],
];

const anyByte = fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte));
const piece = fc.oneof(fc.constantFrom(...PIECES), anyByte);
const place = fc.record({ at: fc.nat({ max: 2_000 }), length: fc.nat({ max: 16 }), piece });

/**
 * A valid text, one character a byte, with up to four changes: pieces inserted, put over others, removed or repeated; or
 * its end cut off.
 */
export function anyMutationOf(valid: string): fc.Arbitrary<string> {
  const kind = fc.constantFrom('insert', 'overwrite', 'remove', 'repeat', 'cut');
  return fc.array(fc.tuple(kind, place), { maxLength: 4 }).map((changes) => changes.reduce(changed, valid));
}

function changed(text: string, [kind, place]: [string, { at: number; length: number; piece: string }]): string {
  const at = place.at % (text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (kind) {
    case 'insert':
      return before + place.piece + after;
    case 'overwrite':
      return before + place.piece + after.slice(place.piece.length);
    case 'remove':
      return before + after.slice(place.length);
    case 'repeat':
      return before + after.slice(0, place.length) + after;
    default:
      return before;
  }
}
