import * as fc from 'fast-check';

const code = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const codePoint = code.map((each) => String.fromCodePoint(each));

/**
 * Texts of any characters. The unit `binary` of fast-check does the same, but takes a second to prepare in each suite.
 */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}
