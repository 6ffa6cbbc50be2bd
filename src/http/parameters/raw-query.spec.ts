import * as fc from 'fast-check';
import { parseQuery, RawQuery } from './raw-query';

const pairs = (text: string): (string | undefined)[][] =>
  parseQuery(text).parameters.map(({ name, value, malformed }) => (malformed ? [undefined] : [name, value]));

/** A text as Node hands it over: one character for each byte. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('parseQuery', () => {
  it.each([
    ['', []],
    ['&', []],
    ['a=1', [['a', '1']]],
    ['a=1&b=2', [['a', '1'], ['b', '2']]],
    ['&&a=1&&', [['a', '1']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['=', [['', '']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['a=1+2', [['a', '1 2']]],
    ['a=1%2B2', [['a', '1+2']]],
    ['a=%20+%26%3D', [['a', '  &=']]],
    ['%61%3D=b', [['a=', 'b']]],
    ['a+b=c', [['a b', 'c']]],
    ['a[]=1&a[b]=2', [['a[]', '1'], ['a[b]', '2']]],
    ['a=G%C3%B6teborg', [['a', 'Göteborg']]],
    [asBytes('a=Göteborg&ö=😀'), [['a', 'Göteborg'], ['ö', '😀']]],
    [asBytes('a=ö%C3%B6+ö'), [['a', 'öö ö']]],
    ['a=%EF%BB%BFx', [['a', '\ufeffx']]],
    [asBytes('a=\ufeffx'), [['a', '\ufeffx']]],
    ['a=%00', [['a', '\0']]],
    ['a?b=c?d', [['a?b', 'c?d']]],
  ])('D1 keeps every parameter of %j in order', (text, expected) => {
    expect(pairs(text)).toEqual(expected);
  }); // prettier-ignore

  it.each([
    ...['%zz', '%', '%4', 'a%', '%E0%A4%A', '%C3', '%C3%28', '%ED%A0%80', '%F4%90%80%80', '%C0%80', '%FF', '%u0041'],
    ...['\xff', '\xc3', '\xc3(', '\xed\xa0\x80', asBytes('ö').slice(0, 1), '\xc3%B6'],
  ])('D7 marks %j as malformed, as name and as value, and reads on', (broken) => {
    expect(parseQuery(`a=${broken}&b=1`).parameters).toEqual([
      { name: 'a', value: '', malformed: true },
      { name: 'b', value: '1', malformed: false },
    ]);
    expect(pairs(`${broken}=1&b=1`)).toEqual([[undefined], ['b', '1']]);
  });

  it('keeps duplicates, and names that mean something to objects', () => {
    const text = 'a=1&A=2&a=1&__proto__=1&constructor=2&toString=3';
    expect(pairs(text).map(([name]) => name)).toEqual(['a', 'A', 'a', '__proto__', 'constructor', 'toString']);
  });

  it('D2 refuses nothing unless told to', () => {
    expect(parseQuery('a=1').refuseUnknown).toBe(false);
    expect(new RawQuery([]).parameters).toEqual([]);
  });

  it('reads back any names and values', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (expected) => {
        const percent = expected.map(([n, v]) => `${encodeURIComponent(n)}=${encodeURIComponent(v)}`).join('&');
        expect(pairs(percent)).toEqual(expected);
        expect(pairs(new URLSearchParams(expected).toString())).toEqual(expected);
      }),
    );
  });

  it('D7 never throws, and reads as a browser would whatever is not malformed', () => {
    const pieces = fc.constantFrom('&', '=', '+', '%', '%2', '%20', '%C3%B6', '%FF', 'a', ';', '\xc3', '\xb6', '\0');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const latin = Buffer.from(text, 'latin1').toString('latin1');
          const { parameters } = parseQuery(latin);
          fc.pre(!parameters.some(({ malformed }) => malformed));
          // URLSearchParams takes characters, not bytes, and lets broken encodings pass: the comparison is of sound ones.
          const characters = Buffer.from(latin, 'latin1').toString('utf8');
          expect(parameters.map(({ name, value }) => [name, value])).toEqual([...new URLSearchParams(characters.replace(/^\?/, '%3F'))]); // prettier-ignore
        },
      ),
      { numRuns: 500 },
    );
  });
});
