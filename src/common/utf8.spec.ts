import * as fc from 'fast-check';
import { decodeUtf8, encodeUtf8 } from './utf8';

/** Long enough for either way. */
const texts = fc
  .tuple(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string()), fc.nat(12_000))
  .map(([text, times]) => text.repeat(1 + Math.floor(times / (1 + text.length))));
/** Any UTF-16 units, halves of surrogate pairs among them. */
const unitTexts = fc
  .tuple(fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 300 }))
  .map(([units, times]) => String.fromCharCode(...units).repeat(times));
const bytes = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 300 }))
  .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));

describe('UTF-8', () => {
  it('is written as Buffer.from writes it', () => {
    fc.assert(
      fc.property(fc.oneof(texts, unitTexts), (text) => {
        expect(encodeUtf8(text).equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  it('is read as Buffer.toString reads it, also what is none', () => {
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
  ])('%s comes back', (_, text) => {
    expect(decodeUtf8(encodeUtf8(text))).toBe(text);
  });

  it('bytes in the middle of a larger buffer are read from where they stand', () => {
    const text = 'äöü'.repeat(2000);
    const around = Buffer.concat([Buffer.from('before'), Buffer.from(text), Buffer.from('after')]);
    expect(decodeUtf8(around.subarray(6, -5))).toBe(text);
  });
});
