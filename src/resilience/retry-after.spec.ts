import * as fc from 'fast-check';
import { callInZone } from '../../test/support/units';
import { retryAfterMs } from './retry-after';

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const DAY = 86_400_000;

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    [' 5 ', 5000],
    ['007', 7000],
    ['86400', DAY],
    ['86401', DAY],
    ['9999999999', DAY],
  ])('D21 %j seconds are %d ms, a day at most', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });

  it.each([
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:59:30 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Mon, 01 Mar 2027 12:00:00 GMT', DAY],
    ['Mon Mar  1 12:00:00 2027', DAY],
  ])('D21 the date %s is %d ms away', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });

  it('D21 a date in the form of asctime is GMT whatever the zone of the server (RFC 9110)', () => {
    const call = ['Sun Mar  1 12:00:30 2026', NOW];
    expect(callInZone('UTC', 'src/resilience/retry-after.ts', 'retryAfterMs', [call])).toEqual([30_000]);
    expect(callInZone('America/New_York', 'src/resilience/retry-after.ts', 'retryAfterMs', [call])).toEqual([30_000]); // prettier-ignore
  });

  it.each([
    undefined,
    '',
    ' ',
    '-1',
    '1.5',
    '+5',
    '1e3',
    '0x10',
    '5s',
    'soon',
    '٥',
    '2026-03-01T12:00:30Z',
    'from Sun, 01 Mar 2026 12:00:30 GMT',
    'Sun, 01 Mar 2026 12:00:3 GMT',
    ['5'],
    ['5', '6'],
  ])('D21 %j says nothing', (header) => {
    expect(retryAfterMs(header, NOW)).toBeUndefined();
  });

  it.each([
    '1'.repeat(11),
    '9'.repeat(400),
    'Sun, 99 Foo 2026 12:00:30 GMT',
    'Xyz, 12:00:00',
    'Sun, 01 Mar 2026 25:00:00 GMT',
  ])('D21 %j is absurd: nothing, or a day at most', (header) => {
    expect([undefined, 0, DAY]).toContain(retryAfterMs(header, NOW));
  });

  it('D21 is undefined or between nothing and a day, whatever the header', () => {
    const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
    const numbers = fc.bigInt().map(String);
    fc.assert(
      fc.property(fc.oneof(fc.string(), dates, numbers), (header) => {
        const wait = retryAfterMs(header, NOW) ?? 0;
        expect(wait >= 0 && wait <= DAY).toBe(true);
      }),
    );
  });
});
