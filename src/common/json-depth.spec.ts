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
    ['', false],
    ['"', false],
    ['"\\', false],
  ])('finds the depth of %s', (json, expected) => {
    expect(deep(json)).toBe(expected);
  });

  it('agrees with the depth of any parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (json) => {
        expect(deep(json)).toBe(depthOf(JSON.parse(json)) > LIMIT);
      }),
    );
  });
});
