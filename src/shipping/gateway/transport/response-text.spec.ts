import fc from 'fast-check';
import { textOf } from './response-text';

const REPLACEMENT = '\ufffd';

/** The text, or `undefined` where the bytes are refused. */
function decoded(bytes: Uint8Array, contentType?: string): string | undefined {
  try {
    return textOf(Buffer.from(bytes), contentType);
  } catch (error) {
    expect(error).toMatchObject({ reason: 'bad-reply', message: expect.stringMatching(/^charset: /) });
    return undefined;
  }
}

describe('D80 textOf', () => {
  it('gives the exact text of any bytes, or refuses them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = decoded(bytes);
        const isExact = Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
        expect(text !== undefined).toBe(isExact);
        if (text !== undefined) expect(Buffer.from(text)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('never makes a replacement character of bytes, whatever the charset', () => {
    const charset = fc.constantFrom('utf-8', 'latin1', 'windows-1251', 'shift_jis', 'gb18030', 'utf-16', 'none');
    fc.assert(
      fc.property(charset, fc.uint8Array({ maxLength: 20 }), (label, bytes) => {
        const text = decoded(bytes, `application/json; charset=${label}`);
        const isSent = ['utf-8', 'none', 'utf-16', 'gb18030'].includes(label);
        if (!isSent) expect(text ?? '').not.toContain(REPLACEMENT);
      }),
    );
  });

  it('reads every text that was encoded as UTF-8 or UTF-16', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.startsWith('\ufeff') && !text.startsWith('\ufffe'));
        expect(decoded(Buffer.from(text))).toBe(text);
        expect(decoded(Buffer.from(text, 'utf16le'), 'text/json; charset=utf-16le')).toBe(text);
      }),
    );
  });

  it('finds the charset in any case', () => {
    expect(decoded(Buffer.from([0xe9]), 'text/json; CHARSET="Latin1"')).toBe('é');
  });

  it.each([
    [[0x22, 0xe9], 'byte 0xe9 at 1'],
    [[0xc3], 'byte 0xc3 at 0'],
    [[0x41, 0xed, 0xa0, 0x80], 'byte 0xed at 1'],
    [[0x0a, 0x80], 'byte 0x80 at 1'],
  ])('names the byte of %j: %s', (bytes, expected) => {
    expect(() => textOf(Buffer.from(bytes), undefined)).toThrow(`charset: ${expected}`);
  });

  it.each([
    ['application/json; charset="utf-8"', 'é'],
    ['application/json; profile="a; charset=latin1"', 'é'],
    ['application/json; profile=";charset=latin1;"; charset=utf-8', 'é'],
    ['application/json; profile="\\";charset=latin1"', 'é'],
    ['application/json; profile=";charset=utf-8"; charset="lat\\in1"', 'Ã©'],
    ['application/json; charset="latin1', 'Ã©'],
  ])('a charset is none within the quoted value of another parameter: %s', (contentType, expected) => {
    expect(textOf(Buffer.from('é'), contentType)).toBe(expected);
  });
});
