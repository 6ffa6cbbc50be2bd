import { badResponse, failedStatus, isSuccess, oversized, timedOut, unreachable, wrongShape } from './http-failures';

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
