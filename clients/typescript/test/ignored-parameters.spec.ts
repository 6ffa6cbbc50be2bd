import fc from 'fast-check';
import { parseIgnoredParameters } from '../src/ignored-parameters.ts';

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const named = (name: string, more: object = {}) => ({
  name,
  value: false,
  of: undefined,
  didYouMean: undefined,
  ...more,
});

describe('parseIgnoredParameters', () => {
  it.each([
    [null, []],
    ['', []],
    ['"color"', [named('color')]],
    ['"SearchTrem";did-you-mean="SearchTerm", "x"', [named('SearchTrem', { didYouMean: 'SearchTerm' }), named('x')]],
    [
      '"SortBy";value,"Limit";of="GetShippingDetails"',
      [named('SortBy', { value: true }), named('Limit', { of: 'GetShippingDetails' })],
    ],
    ['"SortBy";value=?1', [named('SortBy', { value: true })]],
    ['"SortBy";value=?0', [named('SortBy')]],
    ['"a";newer;since=2026;why="x;, y";did-you-mean="b"', [named('a', { didYouMean: 'b' })]],
  ])('%s', (field, expected) => {
    expect(parseIgnoredParameters(field)).toEqual(expected);
  });

  it.each(['color', '"color', '"a" "b"', '"a",', '"a";', '"a";DID="b"', '"a";b="c', '"a", b'])(
    '%j is malformed, and names nothing',
    (field) => {
      expect(parseIgnoredParameters(field)).toEqual([]);
    },
  );

  it('reads any names and suggestions', () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    const member = fc.record({
      name: text,
      value: fc.boolean(),
      of: fc.option(text, { nil: undefined }),
      didYouMean: fc.option(text, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 10 }), (members) => {
        const field = members
          .map(({ name, value, of, didYouMean }) =>
            [
              quoted(name),
              ...(value ? ['value'] : []),
              ...(of === undefined ? [] : [`of=${quoted(of)}`]),
              ...(didYouMean === undefined ? [] : [`did-you-mean=${quoted(didYouMean)}`]),
            ].join(';'),
          )
          .join(', ');
        expect(parseIgnoredParameters(field)).toEqual(members);
      }),
    );
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', ';', ',', ' ', '=', 'a', '?1') }), (field) => {
        expect(2 * parseIgnoredParameters(field).length).toBeLessThan(field.split('"').length);
      }),
    );
  });
});
