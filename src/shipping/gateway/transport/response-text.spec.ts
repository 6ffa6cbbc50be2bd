import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { textOf } from './response-text';

const REPLACEMENT = '\ufffd';

/** The text, or `undefined` where the bytes are refused. */
function decoded(bytes: Uint8Array, contentType?: string): string | undefined {
  try {
    return textOf(Buffer.from(bytes), { 'content-type': contentType });
  } catch (error) {
    expect(error).toMatchObject({ reason: 'bad-reply', message: expect.stringMatching(/^(charset|no JSON): /) });
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
    expect(() => textOf(Buffer.from(bytes), {})).toThrow(`charset: ${expected}`);
  });

  it.each([
    ['text/plain; charset="utf-8"', 'é'],
    ['text/plain; profile="a; charset=latin1"', 'é'],
    ['text/plain; profile=";charset=latin1;"; charset=utf-8', 'é'],
    ['text/plain; profile="\\";charset=latin1"', 'é'],
    ['text/plain; profile=";charset=utf-8"; charset="lat\\in1"', 'Ã©'],
    ['text/plain; charset="latin1', 'Ã©'],
  ])('a charset is none within the quoted value of another parameter: %s', (contentType, expected) => {
    expect(textOf(Buffer.from('é'), { 'content-type': contentType })).toBe(expected);
  });

  it.each([
    ['application/json; charset=ISO-8859-1', 'Zürich'],
    ['application/json;charset="windows-1252"', 'Zürich'],
    ['text/json; charset=US-ASCII', 'Zürich'],
    ['application/vnd.carrier.v1+json; CHARSET=ascii', 'Zürich'],
    ['application/json; charset=iso-8859-15', 'Zürich'],
    ['application/json; charset=KOI8-R', 'Zürich'],
    ['application/json; charset=macintosh', 'Zürich'],
    ['application/json; charset=ibm866', 'Zürich'],
    ['application/json; charset=gbk', 'Z眉rich'],
    ['text/html; charset=ISO-8859-1', 'ZÃ¼rich'],
  ])('UTF-8 that is labelled %s is %s', (contentType, expected) => {
    expect(decoded(Buffer.from('Zürich'), contentType)).toBe(expected);
  });

  it('every text of JSON that is UTF-8 is read as such under every label of one byte a character', () => {
    const label = fc.constantFrom(
      'latin1',
      'ascii',
      'iso-8859-2',
      'windows-1251',
      'koi8-u',
      'x-mac-cyrillic',
      'ibm866',
    );
    fc.assert(
      fc.property(label, fc.string({ unit: 'grapheme' }), (charset, text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decoded(Buffer.from(text), `application/json; charset=${charset}`)).toBe(text);
      }),
    );
  });

  it('every text that is not UTF-8 is read by its label', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        fc.pre(!isUtf8(bytes));
        expect(decoded(bytes, 'application/json; charset=iso-8859-2')).toBe(
          new TextDecoder('iso-8859-2', { fatal: true }).decode(bytes),
        );
      }),
    );
  });
});
