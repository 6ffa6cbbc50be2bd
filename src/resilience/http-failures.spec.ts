import * as fc from 'fast-check';
import { callInZone } from '../../test/support/units';
import {
  badResponse,
  failedStatus,
  isSuccess,
  oversized,
  retryAfterMs,
  timedOut,
  unreachable,
  wrongShape,
} from './http-failures';

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
    expect(callInZone('UTC', 'src/resilience/http-failures.ts', 'retryAfterMs', [call])).toEqual([30_000]);
    expect(callInZone('America/New_York', 'src/resilience/http-failures.ts', 'retryAfterMs', [call])).toEqual([30_000]); // prettier-ignore
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

const traits = (failure: ReturnType<typeof badResponse>): unknown[] => [
  failure.reason,
  failure.retryable,
  failure.countsAgainstCircuit,
  failure.deadConnection,
];

describe('failures', () => {
  it.each([
    ['a broken reply', badResponse('x'), 'bad-reply', true, true, false],
    ['a reply of the wrong shape', wrongShape('x'), 'bad-reply', false, true, false],
    ['an oversized upstream response', oversized(), 'bad-reply', false, false, false],
    ['an abandoned attempt', timedOut(), 'upstream-timeout', true, true, false],
    ['no connection', unreachable(false), 'upstream-unreachable', true, true, false],
    ['a dead connection', unreachable(true), 'upstream-unreachable', true, true, true],
  ] as const)('D20 %s is %3$s', (_, failure, ...expected) => {
    expect(traits(failure)).toEqual(expected);
    expect(failure.retryAfterMs).toBeUndefined();
  });

  it.each([500, 502, 503, 504])('D20 %d is worth another attempt, and counts', (status) => {
    expect(traits(failedStatus(status, undefined))).toEqual(['upstream-error', true, true, false]);
  });

  it.each([501, 505, 511, 599])('D20 %d is not worth another attempt, and counts', (status) => {
    expect(traits(failedStatus(status, undefined))).toEqual(['upstream-error', false, true, false]);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 451])(
    'D20 %d would only come again, and says nothing of health',
    (status) => {
      expect(traits(failedStatus(status, undefined))).toEqual(['upstream-error', false, false, false]);
    },
  );

  it('D20 408 is worth another attempt; 429 is, and counts', () => {
    expect(traits(failedStatus(408, undefined))).toEqual(['upstream-error', true, false, false]);
    expect(traits(failedStatus(429, undefined))).toEqual(['upstream-error', true, true, false]);
  });

  it.each([300, 301, 302, 304, 307, 308, 399])('D18 D20 the redirect %d is a bad reply', (status) => {
    expect(traits(failedStatus(status, undefined))).toEqual(['bad-reply', false, true, false]);
  });

  it.each([
    [100, false],
    [199, false],
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [404, false],
    [500, false],
  ])('D18 whether %d has the data in its body: %s', (status, expected) => {
    expect(isSuccess(status)).toBe(expected);
  });

  it.each([
    [oversized(), 'The upstream response exceeds the size limit'],
    [timedOut(), 'The deadline of the attempt passed'],
    [unreachable(false), 'The connection ended before a response'],
    [failedStatus(307, undefined), 'The upstream response is a redirect'],
    [failedStatus(101, undefined), 'The upstream responded with status 101'],
    [failedStatus(503, undefined), 'The upstream responded with status 503'],
  ])('says what happened, and no value: %p', (failure, message) => {
    expect(failure.message).toContain(message);
  });

  it('D21 carries the time to wait', () => {
    expect(failedStatus(503, 1500).retryAfterMs).toBe(1500);
  });
});
