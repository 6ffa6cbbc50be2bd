import { pino } from 'pino';
import type { CompletedRequest } from './completed-request';
import { logRequest } from './request-log';

describe('logRequest', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const REQUEST = { method: 'GET', route: '/a', status: 200, requestId: 'R', completeness: 'complete' };
  const NO_PROBLEM = { problem: undefined };
  const IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  beforeEach(() => {
    lines.length = 0;
  });

  /** Whether requests get a line, by the random number that each draws. */
  const logged = (share: number, draws: readonly number[], request: Partial<CompletedRequest> = {}): boolean[] =>
    draws.map((draw) => {
      lines.length = 0;
      jest.spyOn(Math, 'random').mockReturnValue(draw);
      logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, durationMs: 1, ...request }, share);
      return lines.length === 1;
    });

  it('writes one line for a request', () => {
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, durationMs: 1.23456 }, 1);
    expect(lines).toEqual([
      { level: 30, ...REQUEST, trace_id: IDS.traceId, span_id: IDS.spanId, durationMs: 1.235, msg: 'request' },
    ]);
  });

  it.each([
    [200, 'complete', 30],
    [304, 'complete', 30],
    [404, undefined, 30],
    [499, undefined, 30],
    [200, 'partial;reason=bad-reply', 40],
    [200, 'unavailable;reason=circuit-open', 40],
    [500, undefined, 40],
    [503, undefined, 40],
  ])('a line of %i and %s has the level %i', (status, completeness, level) => {
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, status, completeness, durationMs: 1 }, 1);
    expect(lines).toMatchObject([{ level }]);
  });

  it('logs the code and the reason of a problem, not its detail', () => {
    const problem = { code: 'external-system-failed', reason: 'upstream-timeout', detail: 'hidden' } as const;
    logRequest(logger, { ...REQUEST, ...IDS, status: 500, completeness: undefined, problem, durationMs: 1 }, 1);
    expect(lines).toMatchObject([{ level: 40, problem: 'external-system-failed', reason: 'upstream-timeout' }]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  it.each([0, 0.001, 0.1, 0.5, 0.9, 1])('logs a share of %d of complete successes', (share) => {
    const draws = Array.from({ length: 1000 }, (_, index) => (index + 0.5) / 1000);
    expect(logged(share, draws).filter(Boolean)).toHaveLength(1000 * share);
  });

  it('does not let the trace id of the client decide', () => {
    for (const traceId of ['0'.repeat(31) + '1', 'f'.repeat(32)]) {
      expect(logged(0.5, [0.4, 0.6], { traceId })).toEqual([true, false]);
    }
  });

  it.each([
    [200, 'partial;reason=bad-reply'],
    [200, 'stale;reason=upstream-timeout'],
    [200, 'unavailable;reason=upstream-timeout'],
    [400, undefined],
    [404, undefined],
    [499, undefined],
    [500, undefined],
  ])('always logs %i, %s', (status, completeness) => {
    expect(logged(0, [0, 0.999], { status, completeness })).toEqual([true, true]);
  });

  it.each([200, 302, 304])('samples successes without completeness, %i, too', (status) => {
    expect(logged(0, [0, 0.999], { status, completeness: undefined })).toEqual([false, false]);
  });
});
