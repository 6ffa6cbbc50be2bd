import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { causeOf, thrownBy } from '../../../../test/support/units';
import { parseBody, textOf } from './response-text';

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
    [[0x22, 0xc3], 'byte 0xc3 at 1'],
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

  const NAME = 'Zoë Œuvre Ы 漢 😀 \ufffd';
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  const LABELLED = (label: string, attempt = {}, body = Buffer.from(NAME)): string =>
    textOf(body, { 'content-type': `application/json; charset=${label}` }, attempt);

  it.each<[label: string, text: string, bytes: Buffer]>([
    ['none', NAME, Buffer.from(NAME)],
    ['ISO-8859-1', 'Zoë', latin1('Zo\xeb')],
    ['Windows-1252', '€ é', latin1('\x80 \xe9')],
    ['shift_jis', '漢', latin1('\x8a\xbf')],
    ['utf-16', `"${NAME}`, utf16(`"${NAME}`)],
    ['UTF-16', `"${NAME}`, utf16(`"${NAME}`).swap16()],
    ['', `\ufeff${NAME}`, utf16(`\ufeff${NAME}`)],
    ['', `\ufeff${NAME}`, utf16(`\ufeff${NAME}`).swap16()],
    ['iso-2022-jp', '漢', Buffer.from('\x1b$B4A\x1b(B')],
    ['gbk', '眉', Buffer.from('ü')],
  ])('reads %j: %s', (label, text, bytes) => {
    expect(LABELLED(label, {}, Buffer.from(bytes))).toBe(text);
  });

  it('D81 remarks on UTF-8 that is labelled as another charset, but not for ASCII', () => {
    const [wrong, ascii] = [{}, {}];
    LABELLED('ISO-8859-1', wrong);
    LABELLED('ISO-8859-1', ascii, Buffer.from('a'));
    expect([wrong, ascii]).toEqual([{ remark: { what: 'UTF-8 that is labelled iso-8859-1' } }, {}]);
  });

  const CUT = '{"a":"ÄÖÜ secret';
  it.each<[cause: string, body: string | Buffer, contentType: string | undefined]>([
    ['no JSON: HTML', '<br />\n<b>Warning</b>: Undefined key{}', 'application/json'],
    ['no JSON: HTML, content type text/html', '<!doctype html><html>', 'text/html; charset=utf-8'],
    ['no JSON: empty, no content type', ' \n', undefined],
    ['no JSON: other text, unknown content type', '<', 'a/b@host.example'],
    ['no JSON: other text at position 9', '{"a":"Zoë\n"}', 'text/json'],
    ['no JSON: gzip that no Content-Encoding names', gzipSync('{}'), 'text/json; charset=latin1'],
    ['no JSON: other text at position 1', utf16('{"a":1}'), 'application/json'],
    ['no JSON: other text', utf16('{"a":}'), 'text/json; charset=utf-16'],
    [`no JSON: cut off at position ${CUT.length}`, CUT, 'application/json'],
    [`no JSON: cut off at position ${CUT.length + 1}`, `${CUT}"`, 'application/json'],
    ['no JSON: cut off', '[tru', 'application/json'],
    ['no JSON: other text', 'a at position 47', 'application/json'],
    ['charset: utf-32 is not supported', utf16('{"a":1}'), 'application/json; charset=utf-32le'],
    ['charset: not shift_jis', latin1('"\x80\xff"'), 'application/json; charset=shift_jis'],
  ])('D81 %s: %j', (cause, body, contentType) => {
    expect(causeOf(thrownBy(() => parseBody(Buffer.from(body), { 'content-type': contentType })))).toBe(cause);
  });

  it('D83 the text of an adapter of axios is parsed, and an object of a mock is as it is', () => {
    expect([parseBody('[1]', {}), parseBody([1], {}), parseBody('[1]', {}, 500)]).toEqual([[1], [1], '[1]']);
  });

  const LABELS = ['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'];
  it.each(LABELS)('UTF-8 that is labelled %s needs one character of three bytes, or six of two', (label) => {
    const contentType = `application/json; charset=${label}`;
    for (const text of ['"üüüüüü"', '"€"', '"😀"']) expect(decoded(Buffer.from(text), contentType)).toBe(text);
    expect(decoded(Buffer.from('"üüüüü"'), contentType)).not.toBe('"üüüüü"');
  });
});
