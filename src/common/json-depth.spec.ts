import * as fc from 'fast-check';
import { isDeeperThan } from './json-depth';

const LIMIT = 4;
const deep = (json: string): boolean => isDeeperThan(LIMIT, Buffer.from(json));

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isDeeperThan', () => {
  it.each([
    ['[[[[]]]]', false],
    ['[[[[[]]]]]', true],
    ['{"a":{"a":{"a":{"a":[]}}}}', true],
    ['["[[[[[[[[", "{{{{{{"]', false],
    ['["\\"[[[[[[", "\\\\", []]', false],
    ['[1,[1,[1,[1,[1]]]]]', true],
    ['[[],[],[],[],[],[]]', false],
    ['[{},{},{},{},{},{}]', false],
    ['[{},[],{},[],{},[]]', false],
    ['[{}, {}, {}, {}, {}, {}]', false],
    ['[[],[[],[[],[[],[]]]]]', true],
    ['["},{},{},{},{",[[[[1]]]]]', true],
    ['["},{","},{","},{","},{","},{"]', false],
    ['', false],
    ['"', false],
    ['"\\', false],
  ])('finds the depth of %s', (json, expected) => {
    expect(deep(json)).toBe(expected);
  });

  it('agrees with the depth of any parsed value, whatever its texts and its white space', () => {
    const text = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', 'a') });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 8 }, text, tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 8 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, ' '), (parsed, space) => {
        const json = JSON.stringify(parsed, undefined, space);
        expect(deep(json)).toBe(depthOf(parsed) > LIMIT);
      }),
    );
  });
});
