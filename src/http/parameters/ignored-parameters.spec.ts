import * as fc from 'fast-check';
import { parseStringList } from '../../../test/support/structured-field';
import { listIgnored } from './ignored-parameters';
import { NearestNames } from './nearest-name';

const nearest = new NearestNames(['PageNumber', 'FromDate']);
const list = (...names: string[]): string | undefined => listIgnored(names, (name) => nearest.of(name));

describe('listIgnored', () => {
  it('D38 lists each name once, with a near known name', () => {
    expect(list('from_date', 'colour', 'page', 'colour', 'Colour')).toBe(
      '"from_date";did-you-mean="FromDate", "colour", "page";did-you-mean="PageNumber", "Colour"',
    );
  });

  it('D38 escapes quotes and backslashes', () => {
    expect(list('a"b\\c')).toBe('"a\\"b\\\\c"');
  });

  it.each(['', 'é', 'a\tb', 'a\nb', '\u007f', 'x'.repeat(65)])('D38 leaves %j out', (name) => {
    expect(list(name)).toBeUndefined();
    expect(list(name, 'x')).toBe('"x"');
  });

  it('D38 a name of 64 characters, and of a space, is listed', () => {
    expect(list('x'.repeat(64), ' ')).toBe(`"${'x'.repeat(64)}", " "`);
  });

  it('D38 lists ten at most; those that are left out do not count', () => {
    const names = ['é', ...Array.from({ length: 12 }, (_, index) => `n${index}`)];
    expect(parseStringList(list(...names) ?? '').map(({ text }) => text)).toEqual(names.slice(1, 11));
  });

  it('D38 is a structured-field list of at most ten members, whatever the names', () => {
    const name = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('page', 'from_date', '"', '\\'));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 100 }), (names) => {
        const header = list(...names);
        if (header === undefined) return;
        const members = parseStringList(header);
        expect(members.length).toBeLessThanOrEqual(10);
        for (const { text, parameters } of members) {
          expect(names).toContain(text);
          const suggestion = nearest.of(text);
          expect(parameters).toEqual(suggestion === undefined ? {} : { 'did-you-mean': suggestion });
        }
      }),
    );
  });
});
