import fc from 'fast-check';
import { causeOf, thrownBy } from '../../../../test/support/units';
import { textOf } from './response-text';

/** The text, or `undefined` where the bytes are refused. */
function decoded(bytes: Uint8Array, contentType?: string): string | undefined {
  try {
    return textOf(Buffer.from(bytes), { 'content-type': contentType });
  } catch (error) {
    expect(causeOf(error)).toMatch(/^(charset|no JSON): /);
    return undefined;
  }
}

describe('D80 textOf', () => {
  it('gives the exact text of any bytes without a mark of UTF-16, or refuses them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        fc.pre(!/^(\xfe\xff|\xff\xfe)/.test(Buffer.from(bytes).toString('latin1')));
        const text = decoded(bytes);
        const isExact = Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
        expect(text !== undefined).toBe(isExact);
        if (text !== undefined) expect(Buffer.from(text)).toEqual(Buffer.from(bytes));
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
    expect(causeOf(thrownBy(() => textOf(Buffer.from(bytes), {})))).toBe(`charset: ${expected}`);
  });

  it.each([
    ['text/plain; charset="utf-8"', 'é'],
    ['text/plain; profile="a; charset=gbk"', 'é'],
    ['text/plain; profile=";charset=gbk;"; charset=utf-8', 'é'],
    ['text/plain; profile="\\";charset=gbk"', 'é'],
    ['text/plain; profile=";charset=utf-8"; charset="gb\\k"', '茅'],
    ['text/plain; charset="gbk', '茅'],
  ])('a charset is none within the quoted value of another parameter: %s', (contentType, expected) => {
    expect(textOf(Buffer.from('é'), { 'content-type': contentType })).toBe(expected);
  });

  const LABELS = ['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'];
  it.each(LABELS)('UTF-8 that is labelled %s needs one character of three bytes, or six of two', (label) => {
    const contentType = `application/json; charset=${label}`;
    for (const text of ['"üüüüüü"', '"€"', '"😀"']) expect(decoded(Buffer.from(text), contentType)).toBe(text);
    expect(decoded(Buffer.from('"üüüüü"'), contentType)).not.toBe('"üüüüü"');
  });
});
