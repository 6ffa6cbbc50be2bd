import fc from 'fast-check';
import { retryAfterMs } from './retry-after';

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const DATE = new Date(NOW).toUTCString();

describe('retryAfterMs', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
  });

  it.each([
    ['0', 0],
    [' 5 ', 5000],
    ['9999999999', 9_999_999_999_000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ])('D21 %j is %d ms', (header, expected) => {
    expect(retryAfterMs(header, undefined)).toBe(expected);
    expect(retryAfterMs(header, DATE)).toBe(expected);
  });

  it.each([
    ...[undefined, null, '', '-5', '1.5', '5, 5', '1e3', '1'.repeat(11), ['5'], 5, '2026-03-01T12:00:30Z'],
    ...['Sunday, 01-Mar-26 12:00:30 GMT', 'Sun Mar  1 12:00:30 2026', 'Sun, 01 Mar 2026 12:00:30'],
    ...['Sun, 01 Mar 2026 12:00:30 CET', 'Sun, 01 Mar 2026 12:00:30 GMT, 5', 'Sun, 99 Mar 2026 12:00:30 GMT'],
  ])('D21 %j says nothing', (header) => {
    expect(retryAfterMs(header, DATE)).toBeUndefined();
  });

  it.each([
    ['an hour ahead', 'Sun, 01 Mar 2026 13:00:00 GMT', 'Sun, 01 Mar 2026 13:00:30 GMT', 30_000],
    ['an hour behind', 'Sun, 01 Mar 2026 11:00:00 GMT', 'Sun, 01 Mar 2026 11:00:30 GMT', 30_000],
    ['unknown, as it sends none', undefined, 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['unknown, as it sends another form', 'Sunday, 01-Mar-26 13:00:00 GMT', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ])('D21 a date is read against the clock of the system, which is %s', (_, date, header, expected) => {
    expect(retryAfterMs(header, date)).toBe(expected);
  });

  it('D21 is undefined or a wait, whatever the headers', () => {
    const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
    const headers = fc.oneof(fc.string(), dates, fc.bigInt().map(String));
    fc.assert(
      fc.property(headers, headers, (header, date) => {
        expect(retryAfterMs(header, date) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
