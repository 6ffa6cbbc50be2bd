import * as fc from 'fast-check';
import { causeOf, thrownBy } from '../../../../test/support/units';
import { checkShape, parseJson } from './response-text';

/** How deep arrays and objects are nested in a value, and how many values it has, itself included. */
function shapeOf(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const parts = Object.values(value).map(shapeOf);
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    values: parts.reduce((sum, { values }) => sum + values, 1),
  };
}

const hostileText = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', 'a', '\u0142') });
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, hostileText, fc.double(), fc.constantFrom(null, true), tie('list'), tie('object')),
  list: fc.array(tie('value')),
  object: fc.dictionary(hostileText, tie('value')),
}));
const json = fc.record({ value: anyValue, space: fc.constantFrom('', ' ', '\t', '\n') });

describe('D59 the shape of JSON is bounded before it is parsed', () => {
  it('as deep and as many values as are allowed pass, one fewer does not', () => {
    fc.assert(
      fc.property(json, ({ value, space }) => {
        const text = JSON.stringify(value, undefined, space);
        const { depth, values } = shapeOf(value);
        checkShape(text, depth, values);
        const causeWith = (...bounds: [number, number]): string | undefined =>
          causeOf(thrownBy(checkShape.bind(undefined, text, ...bounds)));
        if (depth > 0) expect(causeWith(depth - 1, values)).toBe(`JSON nested deeper than ${depth - 1}`);
        expect(causeWith(depth, values - 1)).toBe(`JSON of more than ${values - 1} values`);
      }),
    );
  });

  /** A text of more than 64 KiB. */
  const long = (text: string): string => `${text}${' '.repeat(65_536)}`;
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  it.each([
    ['64 deep', nested(64), 1],
    ['a million values', `[${'{},'.repeat(999_998)}{}]`, 999_999],
    ['brackets in texts', JSON.stringify(['['.repeat(100), '\\"['.repeat(100)]), 2],
  ])('D59 %s is parsed', (_, text, length) => {
    expect(parseJson(long(text), {})).toHaveLength(length);
  });

  it.each([
    ['65 deep', nested(65), 'JSON nested deeper than 64'],
    ['objects 65 deep', '{"a":'.repeat(65), 'JSON nested deeper than 64'],
    ['brackets that are never closed', '['.repeat(5_000_000), 'JSON nested deeper than 64'],
    ['a million and one values', `[${'{},'.repeat(999_999)}{}]`, 'JSON of more than 1000000 values'],
    ['text that is no JSON', '{"a":"b\\', 'no JSON: other text at position 8, no content type'],
  ])('D59 D81 %s is not', (_, text, what) => {
    const failure = thrownBy(() => parseJson(long(text), {}));
    expect(failure).toMatchObject({ reason: 'bad-reply', causes: [{ what }] });
  });

  it('D59 a text of up to 64 KiB is parsed, however deep it is', () => {
    expect(parseJson(nested(32_768), {})).toHaveLength(1);
  });
});
