import { failureOfTransport } from '../shipping/gateway/transport/transport-failures';
import {
  brokenResponse,
  connectionLost,
  failedResponse,
  failedStatus,
  isSuccess,
  noConnection,
  retryAfterMs,
  timedOut,
  type UpstreamFailure,
  wrongShape,
} from './upstream-failure';

describe('failures', () => {
  it.each<[string, string, boolean, () => UpstreamFailure]>([
    ['bad-reply', 'body incomplete: ECONNRESET', true, () => brokenResponse('body incomplete: ECONNRESET')],
    ['bad-reply', 'x', false, () => wrongShape('x')],
    ['upstream-timeout', 'time-out: no response', true, timedOut],
    ['upstream-timeout', 'time-out: x', false, () => timedOut('x', true)],
    ['upstream-unreachable', 'connection lost: ECONNRESET', true, () => connectionLost('ECONNRESET')],
    ['upstream-unreachable', 'no connection: ECONNREFUSED', true, () => noConnection('ECONNREFUSED')],
    ['upstream-error', 'status 404, x', false, () => failedStatus(404, undefined, { description: 'x', isHtml: true })],
    ['upstream-error', 'status 403 with Retry-After', true, () => failedStatus(403, 0)],
    ['upstream-error', 'status 503', true, () => failedStatus(503)],
  ])('D20 D57 D81 %s, "%s", is retried and counted: %s', (reason, what, isUnhealthy, make) => {
    const traits = { retryable: isUnhealthy, countsAgainstCircuit: isUnhealthy };
    const message = `The external system failed: ${reason}`;
    expect(make()).toMatchObject({ name: 'UpstreamFailure', reason, message, causes: [{ what }], ...traits });
  });

  it.each<[number[], string, boolean]>([
    [[206, 300, 301, 304, 307, 399], 'bad-reply', false],
    [[400, 401, 403, 404, 409, 410, 422, 451, 499], 'upstream-error', false],
    [[408, 429, 500, 501, 502, 503, 504, 505, 599], 'upstream-error', true],
  ])('D20 D57 the statuses %j are %s, retried and counted: %s', (statuses, reason, isUnhealthy) => {
    const traits = { reason, retryable: isUnhealthy, countsAgainstCircuit: isUnhealthy };
    for (const status of statuses) expect(failedStatus(status)).toMatchObject(traits);
  });

  it('D18 are all statuses but those of success', () => {
    const statuses = [199, 200, 201, 202, 203, 205, 206, 207, 208, 299, 300];
    expect(statuses.map(isSuccess)).toEqual([false, true, true, false, true, true, false, false, true, true, false]);
  });

  it('D61 carry what the policy, the cache and the log need', () => {
    expect(failedStatus(503, 1500)).toMatchObject({ status: 503, retryAfterMs: 1500, connectionLost: false });
    expect(failedStatus(429, 1500).pauseMs).toBe(1500);
    const others = [failedStatus(429, 0), failedStatus(429), failedStatus(503, 1500), failedStatus(500, 1500)];
    expect(others.map(({ pauseMs }) => pauseMs)).toEqual([undefined, undefined, undefined, undefined]);
    const ofWriting = failureOfTransport({ name: 'EPIPE', message: '' }, 'nothing');
    expect([ofWriting.connectionLost, noConnection('EPIPE').connectionLost]).toEqual([true, false]);
  });
});

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
    expect(failedResponse({ status: 429, headers: { 'retry-after': header, date } }).pauseMs).toBe(expected);
  });
});
