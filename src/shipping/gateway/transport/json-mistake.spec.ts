import fc from 'fast-check';
import { succeeds } from '../../../common/errors';
import { mistakeOf } from './json-mistake';

/** What is wrong with a text, as the log has it. */
function wrongWith(text: string): string | undefined {
  const mistake = mistakeOf(text);
  if (mistake === undefined) return undefined;
  const { kind, at, note } = mistake;
  return `${kind} at ${at}${note === undefined ? '' : `, ${note}`}`;
}

describe('D81 mistakeOf', () => {
  it.each([
    // Truncated.
    ['{"a":[1,2', 'ends at 9, in an array'],
    ['{"a":[1,2]', 'ends at 10, in an object'],
    ['{"a":', 'ends at 5, in an object'],
    ['{"a', 'ends at 3, in a string'],
    ['["a\\', 'ends at 4, in a string'],
    ['["a\\u00', 'ends at 7, in a string'],
    ['[tru', 'ends at 4, in a value'],
    ['[-', 'ends at 2, in a value'],
    ['[1.', 'ends at 3, in a value'],
    ['[1e', 'ends at 3, in a value'],
    ['[1e+', 'ends at 4, in a value'],
    // With a mistake inside.
    ["{'a':1}", "unexpected character at 1, '"],
    ['{“a”:1}', 'unexpected character at 1, U+201C'],
    ['{größe:1}', 'text without quotes at 1'],
    ['{"a":b}', 'text without quotes at 5'],
    ['[nullable]', 'text without quotes at 5'],
    ['{"a":"5" wide"}', 'text without quotes at 9'],
    ['{"a":1,}', 'trailing comma at 6'],
    ['[1 , ]', 'trailing comma at 3'],
    ['[1,,2]', 'unexpected character at 3, ,'],
    ['{"a":}', 'unexpected character at 5, }'],
    ['{"a"}', 'unexpected character at 4, }'],
    ['{"a" 1}', 'unexpected character at 5'],
    ['{"a":1 "b":2}', 'unexpected character at 7, "'],
    ['[{}{}]', 'unexpected character at 3, {'],
    ['{"a":5,25}', 'unexpected character at 7'],
    ['[1}', 'unexpected character at 2, }'],
    ['{"a":1]', 'unexpected character at 6, ]'],
    ['{"a":1 /* x */}', 'unexpected character at 7, /'],
    ['{"a":NaN}', 'NaN at 5'],
    ['[-Infinity]', '-Infinity at 1'],
    ['{"a":None}', 'None at 5'],
    ['[NULL]', 'NULL at 1'],
    ['{"a":+1}', 'unexpected character at 5, +'],
    ['[01]', 'unexpected character at 2'],
    ['[.5]', 'unexpected character at 1, .'],
    ['[5.]', 'unexpected character at 2, .'],
    ['[-]', 'unexpected character at 1, -'],
    ['["a\nb"]', 'control character at 3, U+000A'],
    ['\0{}', 'control character at 0, U+0000'],
    ['{\u00a0"a":1}', 'unexpected character at 1, U+00A0'],
    ['\ufeff{}', 'unexpected character at 0, U+FEFF'],
    ['["C:\\data"]', 'bad escape at 4'],
    ['["\\u00zz"]', 'bad escape at 2'],
    // Behind the end.
    ['{"a":1}\n{"a":2}', 'text behind the end at 8, another document'],
    ['{}<br />', 'text behind the end at 2, <'],
    ['{}\0', 'text behind the end at 2, U+0000'],
    ['1f4\r\n{}', 'text behind the end at 1'],
    // Something else than JSON.
    ['\n<!DOCTYPE html><html>', 'HTML at 1'],
    ['<html lang="en">', 'HTML at 0'],
    ['<?xml version="1.0"?><a/>', 'markup at 0'],
    ['callback([1])', 'text without quotes at 0'],
  ])('of %j: %s', (text, expected) => {
    expect(wrongWith(text)).toBe(expected);
  });

  it('finds a mistake where `JSON.parse` does, and in no other text', () => {
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ unit: 'binary-ascii', maxLength: 3 }))
      .map(([json, at, removed, added]) => {
        const start = at % (json.length + 1);
        return json.slice(0, start) + added + json.slice(start + removed);
      });
    const grammar = fc
      .array(fc.constantFrom(...'{}[],:"\\ut0123.eE+-\n '.split(''), '"a"', 'null', 'tru'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(mutated, grammar, fc.json()), (text) => {
        expect([text, mistakeOf(text) === undefined]).toEqual([text, succeeds(() => JSON.parse(text) as unknown)]);
      }),
      { numRuns: 3000 },
    );
  });

  it('names a place within the text, up to which the text is sound', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, at) => {
        fc.pre(json.length > 1);
        const cut = 1 + (at % (json.length - 1));
        const mistake = mistakeOf(json.slice(0, cut));
        if (mistake !== undefined)
          expect([json, cut, mistake]).toEqual([json, cut, expect.objectContaining({ kind: 'ends', at: cut })]);
      }),
    );
  });

  it('D59 takes brackets of any depth', () => {
    expect(wrongWith('['.repeat(60_000))).toBe('ends at 60000, in an array');
  });
});
