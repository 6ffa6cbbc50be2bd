import * as fc from 'fast-check';
import { isDecodable } from './text';
import { anyText } from '../../test/support/any-text';

function isDecodedByJavaScript(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

describe('isDecodable', () => {
  it.each([
    ...['%', '%2', '%zz', 'a%', '%E0%A4%A', '%C3', '%C3%28', '%ED%A0%80', '%F4%90%80%80', '%C0%80', '%FF', '%u0041'],
    ...['%C3a%B6', '%C3ö%B6', '%F0%9F%98', '%2525%', '%C3%B6%C3'],
  ])('D7 %j is not percent-encoded UTF-8', (text) => {
    expect([isDecodable(text), isDecodedByJavaScript(text)]).toEqual([false, false]);
  });

  it.each(['', 'a', '%20', '%c3%B6', '%F0%9F%98%80', '%00', '%25', '%2525', 'ö%C3%B6', '\ud800', '%EF%BB%BF'])(
    'D7 %j is percent-encoded UTF-8',
    (text) => {
      expect([isDecodable(text), isDecodedByJavaScript(text)]).toEqual([true, true]);
    },
  );

  it('D7 agrees with decodeURIComponent, and never throws', () => {
    const hex = fc.constantFrom(...'0123456789abcdefABCDEF');
    const escape = fc.tuple(hex, hex).map(([high, low]) => `%${high}${low}`);
    const encoded = anyText()
      .filter((text) => !/\p{Surrogate}/u.test(text))
      .map(encodeURIComponent);
    const pieces = fc.oneof(escape, encoded, fc.constantFrom('%', '%C3', '%B6', '%F0%9F', '%80', 'a', 'ö', '%2', '+'));
    const soup = fc.array(pieces).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(anyText(), encoded, soup), (text) => {
        expect(isDecodable(text)).toBe(isDecodedByJavaScript(text));
      }),
    );
  });
});
