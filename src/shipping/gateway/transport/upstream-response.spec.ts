import * as fc from 'fast-check';
import { toUSVString } from 'node:util';
import { thrownBy } from '../../../../test/support/units';
import { parseResponse } from './upstream-response';

describe('parseResponse', () => {
  it.each([
    ['{"Id":"A"}', { Id: 'A' }],
    ['\ufeff{"Id":"A"}', { Id: 'A' }],
    [' [1] \n', [1]],
    ['null', null],
    ['""', ''],
    ['false', false],
  ])('reads %j', (text, expected) => {
    expect(parseResponse(text, {}, 200)).toEqual(expected);
  });

  it.each([
    ['a Buffer', Buffer.from('\ufeff{"Id":"Göteborg"}')],
    ['bytes', new TextEncoder().encode('{"Id":"Göteborg"}')],
    ['a value', { Id: 'Göteborg' }],
  ])('reads %s', (_, body) => {
    expect(parseResponse(body)).toEqual({ Id: 'Göteborg' });
  });

  it('D33 refuses what is nested deeper than 32 levels, before it is parsed: no other attempt', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => parseResponse(nested(32))).not.toThrow();
    expect(thrownBy(() => parseResponse(nested(33)))).toMatchObject({ reason: 'bad-reply', retryable: false });
    expect(parseResponse(nested(33), {}, 500)).toBe(nested(33));
  });

  it('D33 refuses more than 100,000 objects and arrays of less than 32 bytes, before they are parsed: no other attempt', () => {
    const list = (count: number, item: string): string => `[${item}${`,${item}`.repeat(count - 1)}]`;
    expect(parseResponse(list(99_999, '{}'))).toHaveLength(99_999);
    for (const text of [list(100_000, '{}'), list(100_000, '[]'), list(150_000, `{"Id":"${'x'.repeat(20)}"}`)]) {
      expect(thrownBy(() => parseResponse(text))).toMatchObject({ reason: 'bad-reply', retryable: false });
    }
    expect(parseResponse(list(150_000, `{"Id":"${'x'.repeat(24)}"}`))).toHaveLength(150_000);
  });

  it('reads back any other JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseResponse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('D49 replaces lone surrogates', () => {
    const halves = fc.constantFrom('\ud800', '\ud83d', '\ude00', '\udfff', '\ud55c', '\\ud800', 'a');
    const texts = fc.string({ unit: halves });
    fc.assert(
      fc.property(texts, fc.boolean(), (text, upper) => {
        const json = JSON.stringify([text, { text }]);
        const body = upper ? json.replace(/\\u[\da-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`) : json;
        const expected = toUSVString((JSON.parse(body) as string[])[0] ?? '');
        expect(parseResponse(body)).toEqual([expected, { text: expected }]);
      }),
    );
  });

  it.each(['', '\ufeff'])('D18 an empty body, %j, is none', (text) => {
    expect(parseResponse(text, {}, 200)).toBeUndefined();
  });

  it.each(['{', '{"Items": [}', 'nonsense', "{'a':1}", '{} {}', 'NaN', 'undefined', '<html>', ' ', '\ufeff\ufeff{}'])(
    'D18 %j cannot be parsed: worth another attempt',
    (text) => {
      const failure = thrownBy(() => parseResponse(text, {}, 200));
      expect(failure).toMatchObject({ name: 'AttemptFailure', reason: 'bad-reply', retryable: true, countsAgainstCircuit: true }); // prettier-ignore
      expect((failure as Error).message).toBe('The upstream response is no JSON');
    },
  );

  it.each([199, 300, 404, 500])('leaves the body of a %d as it is', (status) => {
    expect(parseResponse('<html>', {}, status)).toBe('<html>');
    expect(parseResponse('null', {}, status)).toBe('null');
  });

  it.each([200, 204, 299])('reads the body of a %d', (status) => {
    expect(parseResponse('{}', {}, status)).toEqual({});
  });
});
