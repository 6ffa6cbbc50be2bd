import * as fc from 'fast-check';
import { inspect } from 'node:util';
import { lazyQuery, RawQuery, rawQueryOf } from './query-string';

const pairs = (text: string): (string | undefined)[][] =>
  new RawQuery(text).parameters.map(({ name, value, malformed }) => (malformed ? [undefined] : [name, value]));

describe('RawQuery', () => {
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
    ['a=%F0%9F%98%80+%c3%b6', [['a', '😀 ö']]],
    ['a=%EF%BB%BFx', [['a', '\ufeffx']]],
    ['a=%00', [['a', '\0']]],
    ['a?b=c?d', [['a?b', 'c?d']]],
  ])('D1 keeps every parameter of %j in order', (text, expected) => {
    expect(pairs(text)).toEqual(expected);
  }); // prettier-ignore

  const broken = ['%zz', '%', '%4', 'a%', '%E0%A4%A', '%C3', '%C3%28', '%ED%A0%80', '%F4%90%80%80', '%C0%80', '%FF', '%u0041', '%C3+%B6']; // prettier-ignore
  it.each(broken)('D7 marks %j as malformed, as name and as value, and continues', (text) => {
    expect(new RawQuery(`a=${text}&b=1`).parameters).toEqual([
      { name: 'a', value: '', malformed: true },
      { name: 'b', value: '1', malformed: false },
    ]);
    expect(pairs(`${text}=1&b=1`)).toEqual([[undefined], ['b', '1']]);
  });

  it('keeps duplicates, and names of object properties', () => {
    const text = 'a=1&A=2&a=1&__proto__=1&constructor=2&toString=3';
    expect(pairs(text).map(([name]) => name)).toEqual(['a', 'A', 'a', '__proto__', 'constructor', 'toString']);
  });

  it.each([
    ['a=1&'.repeat(99) + 'a=1', false],
    ['a=1&'.repeat(100) + 'a=1', true],
    ['&'.repeat(99), false],
    ['&'.repeat(100), true],
    ['', false],
  ])('D40 at most 100 parameters, empty ones included: %j', (text, exceeds) => {
    expect(new RawQuery(text).exceedsLimit).toBe(exceeds);
  });

  it('D40 is parsed once, on first use', () => {
    const query = new RawQuery('a=1');
    expect(query.parameters).toBe(query.parameters);
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

  it('D7 never throws, and parses like URLSearchParams where nothing is malformed', () => {
    const pieces = fc.constantFrom('&', '=', '+', '%', '%2', '%20', '%C3%B6', '%FF', 'a', ';', '%C3', '%B6', '\0');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces).map((parts) => parts.join('')),
          fc.string({ unit: 'binary-ascii' }),
        ),
        (text) => {
          const { parameters } = new RawQuery(text);
          fc.pre(!parameters.some(({ malformed }) => malformed));
          // URLSearchParams accepts invalid encoding: only valid encoding is compared.
          expect(parameters.map(({ name, value }) => [name, value])).toEqual([...new URLSearchParams(text.replace(/^\?/, '%3F'))]); // prettier-ignore
        },
      ),
    );
  });
});

describe('lazyQuery', () => {
  const TEXT = 'a=1&b=2&b=+3&__proto__=4&c';
  const expected = JSON.parse('{"a":"1","b":["2"," 3"],"__proto__":"4","c":""}') as object;

  it.each<[string, (query: Record<string, unknown>) => unknown, unknown]>([
    ['a name', ({ b }) => b, ['2', ' 3']],
    ['an absent name', ({ constructor }) => constructor, undefined],
    ['in', (query) => ['c' in query, 'd' in query], [true, false]],
    ['its keys', (query) => Object.keys(query), ['a', 'b', '__proto__', 'c']],
    ['a copy', (query) => ({ ...query }), expected],
    ['JSON', (query) => JSON.parse(JSON.stringify(query)) as unknown, expected],
    ['console.log', inspect, inspect(expected)],
    ['a change', (query) => ((query.a = '9'), delete query.b, { ...query, ['__proto__']: 0 }), { a: '9', c: '', ['__proto__']: 0 }],
    ['a definition', (query) => (Object.defineProperty(query, 'a', { value: '9' }), query.a), '9'],
  ])('is the object of Fastify: %s', (_, read, value) => {
    expect(read(lazyQuery(TEXT))).toEqual(value);
  }); // prettier-ignore

  it('D40 is not parsed for the raw query string', () => {
    expect(rawQueryOf(lazyQuery('a=%zz'))?.parameters).toEqual([{ name: 'a', value: '', malformed: true }]);
    expect([undefined, null, {}, 'a'].map(rawQueryOf)).toEqual(Array(4).fill(undefined));
  });

  it('D7 leaves invalid encoding as it is', () => {
    expect({ ...lazyQuery('a=%zz&%C3=1') }).toEqual({ a: '%zz', '%C3': '1' });
  });
});
