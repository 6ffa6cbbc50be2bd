import fc from 'fast-check';
import { mistakeOf } from './json-mistake';

/** What is wrong with a text, as the log has it. */
function wrongWith(text: string): string | undefined {
  const mistake = mistakeOf(text);
  if (mistake === undefined) return undefined;
  const { kind, at, note } = mistake;
  return `${kind} at ${at}${note === undefined ? '' : `, ${note}`}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('D81 mistakeOf', () => {
  it.each([
    ['{"a":[1,2', 'ends at 9, in an array'],
    ['{"a":[1,2]', 'ends at 10, in an object'],
    ['{"a":', 'ends at 5, in an object'],
    ['{"a', 'ends at 3, in a string'],
    ['["a\\', 'ends at 4, in a string'],
    ['["a\\u00', 'ends at 7, in a string'],
    ['[tru', 'ends at 4, in a literal'],
    ['[-', 'ends at 2, in a number'],
    ['[1.', 'ends at 3, in a number'],
    ['[1e', 'ends at 3, in a number'],
    ['[1e+', 'ends at 4, in a number'],
  ])('of the truncated %s: %s', (text, expected) => {
    expect(wrongWith(text)).toBe(expected);
  });

  it.each([
    ["{'a':1}", 'single quote at 1'],
    ['{"a":\'b\'}', 'single quote at 5'],
    ['{a:1}', 'name without quotes at 1'],
    ['{größe:1}', 'name without quotes at 1'],
    ['{"a":b}', 'text without quotes at 5'],
    ['{"a":1,}', 'trailing comma at 6'],
    ['[1 , ]', 'trailing comma at 3'],
    ['[1,,2]', 'no value at 3'],
    ['{"a":}', 'no value at 5'],
    ['{"a":,"b":1}', 'no value at 5'],
    ['{"a" 1}', 'no colon at 5'],
    ['{"a"=>1}', 'no colon at 4'],
    ['{"a":1 "b":2}', 'no comma at 7'],
    ['[{}{}]', 'no comma at 3'],
    ['{"a":5,25}', 'number instead of a name at 7'],
    ['{"a":"5" wide"}', 'text behind a value at 9'],
    ['[1;2]', 'text behind a value at 2, ;'],
    ['[1}', '} instead of ] at 2'],
    ['{"a":1]', '] instead of } at 6'],
    ['// x\n{}', 'comment at 0'],
    ['{"a":1 /* x */}', 'comment at 7'],
    ['[1 # x\n]', 'comment at 3'],
    ['{"a":NaN}', 'NaN at 5'],
    ['[-Infinity]', '-Infinity at 1'],
    ['[undefined]', 'undefined at 1'],
    ['{"a":None}', 'None at 5'],
    ['[True]', 'True at 1'],
    ['[NULL]', 'NULL at 1'],
    ['[nullable]', 'text behind a value at 5'],
    ['{"a":+1}', 'plus sign before a number at 5'],
    ['[01]', 'number with a leading zero at 1'],
    ['[.5]', 'number without a digit before its point at 1'],
    ['[5.]', 'number without a digit behind its point at 1'],
    ['[5e]', 'number without an exponent at 1'],
    ['[0x1F]', 'hexadecimal number at 1'],
    ['[-]', 'minus sign without a number at 1'],
    ['["a\nb"]', 'control character at 3, U+000A'],
    ['\0{}', 'control character at 0, U+0000'],
    ['{\u00a0"a":1}', 'unexpected character at 1, U+00A0'],
    ['\ufeff{}', 'unexpected character at 0, U+FEFF'],
    ['["C:\\data"]', 'bad escape at 4'],
    ['["\\u00zz"]', 'bad escape at 2'],
    ['["it\\\'s"]', 'bad escape at 4'],
  ])('of %s: %s', (text, expected) => {
    expect(wrongWith(text)).toBe(expected);
  });

  it.each([
    ['{"a":1}\n{"a":2}', 'text behind the end at 8, another document'],
    ['[][]', 'text behind the end at 2, another document'],
    ['{}<br />', 'text behind the end at 2, <'],
    ['{}\0', 'text behind the end at 2, U+0000'],
    ['{} done', 'text behind the end at 3'],
    ['1f4\r\n{}', 'text behind the end at 1'],
    ['{};', 'text behind the end at 2, ;'],
  ])('behind the end of %j: %s', (text, expected) => {
    expect(wrongWith(text)).toBe(expected);
  });

  it.each([
    [")]}',\n{}", 'a prefix against scripts at 0'],
    ['while(1);{}', 'a prefix against scripts at 0'],
    ['for(;;);[]', 'a prefix against scripts at 0'],
    ['/**/jQuery.cb_1({"a":1});', 'JSONP at 0'],
    ['callback([1])', 'JSONP at 0'],
    ['\n<!DOCTYPE html><html>', 'HTML at 1'],
    ['<?xml version="1.0"?><a/>', 'XML at 0'],
    ['<soap:Envelope>', 'XML at 0'],
    ['<Error>', 'markup at 0'],
    ['<br />\n<b>Warning</b>:  Undefined array key', 'a message of PHP at 0'],
    ['PHP Notice:  Undefined', 'a message of PHP at 0'],
    ['Warning: Undefined', 'a message of PHP at 0'],
    ['HTTP/1.1 200 OK\r\n', 'the head of another HTTP response at 0'],
    ['data: {"a":1}\n\n', 'server-sent events at 0'],
    ['Service Unavailable', 'text without quotes at 0'],
    ['Error (5) in module', 'text without quotes at 0'],
    ['---\na: 1', 'minus sign without a number at 0'],
  ])('of %j, which is something else: %s', (text, expected) => {
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
        expect([text, mistakeOf(text) === undefined]).toEqual([text, isJson(text)]);
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
