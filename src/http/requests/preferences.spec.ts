import { maxHeaderSize } from 'node:http';
import * as fc from 'fast-check';
import { prefersStrictHandling } from './preferences';

describe('prefersStrictHandling', () => {
  it.each([
    'handling=strict',
    'Handling=strict',
    'handling="strict"',
    'handling = strict',
    'handling\t=\t"strict"',
    'handling=strict;a=b',
    'handling=strict; a="b, handling=lenient"',
    'respond-async, handling=strict',
    'respond-async,handling=strict,wait=10',
    'return=minimal; a="x", handling=strict',
    'wait="1, 2; 3", handling=strict',
    'a="quoted \\" mark, handling=lenient", handling=strict',
    ', ,handling=strict',
    'handling=strict, handling=lenient',
    'handling=strict, handling=nonsense',
    'handling=strict"',
    'handling="s\\tri\\ct"; a="b',
  ])('D21 %j asks for it', (header) => {
    expect(prefersStrictHandling(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ',',
    'strict',
    'handling',
    'handling=',
    'handling=""',
    'handling=lenient',
    'handling=strictly',
    'handling="strict ly"',
    'handling=lenient, handling=strict',
    'handling, handling=strict',
    'a=handling=strict',
    'xhandling=strict',
    'handling-strict',
    'a;handling=strict',
    'a="b, handling=strict"',
    'a="b\\", handling=strict"',
    'a; b=", handling=strict"',
    'handling: strict',
    '="handling=strict"',
    'handling="strict',
    'handling="strict\\"',
    'handling="\\\\strict"',
    'a="b\\\\, handling=strict"',
    'a=b", handling=strict',
  ])('D21 %j does not', (header) => {
    expect(prefersStrictHandling(header)).toBe(false);
  });

  it('RFC 9110 a backslash in a quoted value only quotes what follows it', () => {
    expect(prefersStrictHandling('handling="str\\ict"')).toBe(true);
  });

  it('does not read a list of headers, which Node joins into one', () => {
    expect(prefersStrictHandling(['handling=strict'])).toBe(false);
  });

  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
  const quoted = fc.string().map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`);
  const value = fc.oneof(token, quoted);
  const parameter = fc.tuple(token, value).map(([name, text]) => `;${name}=${text}`);
  const other = fc
    .tuple(token, fc.option(value), fc.array(parameter, { maxLength: 2 }))
    .map(([name, text, more]) => `x${name}${text === null ? '' : `=${text}`}${more.join('')}`);

  it('D21 is found among any other preferences, whatever they hold', () => {
    const lists = fc.tuple(fc.array(other), fc.boolean(), fc.array(other));
    fc.assert(
      fc.property(lists, ([before, strict, after]) => {
        const header = [...before, ...(strict ? ['handling=strict'] : []), ...after].join(', ');
        expect(prefersStrictHandling(header)).toBe(strict);
      }),
    );
  });

  it('never throws', () => {
    const pieces = fc.array(fc.constantFrom('handling', '=', 'strict', '"', '\\', ',', ';', ' ', '\t', 'é'));
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(typeof prefersStrictHandling(parts.join(''))).toBe('boolean');
      }),
    );
  });

  it.each([
    ['open quotes', 'a="'],
    ['commas', ','],
    ['escaped quotes', ',b\\"'],
    ['quoted strings', ',a="\\"'],
    ['blanks', ' '],
    ['names', 'a'],
    ['backslashes', '\\\\'],
  ])('reads hostile %s in linear time and without a stack', (_, piece) => {
    // In quadratic time this would take hours, and any stack that grows with the text overflows.
    expect(prefersStrictHandling(`a="${piece.repeat(4e6)}`)).toBe(false);
    expect(prefersStrictHandling(`a${piece.repeat(4e6)}`)).toBe(false);
  });

  it('D21 is found at the end of the longest header', () => {
    const others = 'a="\\"", '.repeat(Math.floor((maxHeaderSize - 64) / 9));
    expect(prefersStrictHandling(`${others}handling=strict`)).toBe(true);
  });
});
