import * as fc from 'fast-check';
import { linearPattern, UnsupportedPatternError } from './linear-pattern';
import { anyText } from '../../test/support/any-text';

describe('linearPattern', () => {
  it.each(['^([A-Z]+-?)+$', '(a+)+', '(a|a)*', '(A*)*-', '([A-Z]|[A-Z0-9])+'])(
    'D41 %s terminates on a hostile identifier, where backtracking would take years',
    (source) => {
      const pattern = linearPattern(source);
      expect(pattern.test(`${'A'.repeat(255)}!`)).toBe(false);
      expect(pattern.test(`${'a'.repeat(255)}!`)).toBe(false);
    },
  );

  it.each(['[A-Z]{3}-[0-9]+', '\\w+', '\\d{1,3}|x', '\\p{L}+', '[^]+', '\\u0041b', '\\u{1F600}', '(?<n>a)b?', '.*'])(
    '%s accepts what ECMAScript accepts',
    (source) => {
      const [pattern, reference] = [linearPattern(source), new RegExp(`^(?:${source})$`, 'u')];
      expect(pattern.source).toBe(reference.source);
      const texts = fc.oneof(fc.string(), anyText({ maxLength: 3 }), fc.stringMatching(reference));
      fc.assert(
        fc.property(texts, (text) => {
          // The end of a line is no end of an identifier; RE2 knows fewer of them. And it knows letters of a later Unicode
          // than old releases of Node, to which they are unassigned.
          if (!/[\n\r\u2028\u2029\p{Cn}]/u.test(text)) expect(pattern.test(text)).toBe(reference.test(text));
        }),
      );
    },
  );

  it.each([
    ['(', 'must be a regular expression'],
    ['a)(b', 'must be a regular expression'],
    ['(?=a)a', 'must not look ahead or behind'],
    ['(?!a)b', 'must not look ahead or behind'],
    ['(?<=a)b', 'must not look ahead or behind'],
    ['(?<!a)b', 'must not look ahead or behind'],
    ['(a)\\1', 'must not refer back'],
    ['(?<name>a)\\k<name>', 'must not refer back'],
    ['[[:alpha:]\\][a]', 'must not hold [: within a class'],
    ['(zqxjk{100}){100}', 'must be a regular expression that RE2 supports: invalid repeat count'],
    ['zqxjk{1001}', 'must be a regular expression that RE2 supports: invalid repeat count'],
  ])('refuses %s without repeating it', (source, rule) => {
    expect(() => linearPattern(source)).toThrow(new UnsupportedPatternError(rule));
  });

  it.each(['[(?=]', '\\(\\?=', '\\\\1'])('%s is no lookaround and no back-reference', (source) => {
    expect(() => linearPattern(source)).not.toThrow();
  });
});
