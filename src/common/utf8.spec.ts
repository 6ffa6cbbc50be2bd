import * as fc from 'fast-check';
import { decodeUtf8 } from './utf8';

/** Long enough for either way. */
const texts = fc
  .tuple(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string()), fc.nat(12_000))
  .map(([text, times]) => text.repeat(1 + Math.floor(times / (1 + text.length))));
const bytes = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 300 }))
  .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));

describe('decodeUtf8', () => {
  it('decodes like Buffer.toString, also what is no UTF-8', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          texts.map((text) => Buffer.from(text)),
        ),
        (encoded) => {
          expect(decodeUtf8(encoded)).toBe(encoded.toString('utf8'));
        },
      ),
    );
  });

  it.each([
    ['nothing', ''],
    ['a byte order mark', `\ufeff${'x'.repeat(9000)}`],
    ['ASCII', 'x'.repeat(9000)],
    ['Latin', 'ß'.repeat(9000)],
    ['two bytes, three, four', 'é漢😀'.repeat(3000)],
    ['NUL', '\0'.repeat(9000)],
  ])('decodes %s', (_, text) => {
    expect(decodeUtf8(Buffer.from(text))).toBe(text);
  });

  it('decodes bytes in the middle of a larger buffer', () => {
    const text = 'äöü'.repeat(2000);
    const around = Buffer.concat([Buffer.from('before'), Buffer.from(text), Buffer.from('after')]);
    expect(decodeUtf8(around.subarray(6, -5))).toBe(text);
  });
});
