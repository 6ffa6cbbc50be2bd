import { pino } from 'pino';
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

  it('writes one line for a request', () => {
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, durationMs: 1.23456 });
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
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, status, completeness, durationMs: 1 });
    expect(lines).toMatchObject([{ level }]);
  });

  it('logs the code and the reason of a problem, not its detail', () => {
    const problem = { code: 'external-system-failed', reason: 'upstream-timeout', detail: 'hidden' } as const;
    logRequest(logger, { ...REQUEST, ...IDS, status: 500, completeness: undefined, problem, durationMs: 1 });
    expect(lines).toMatchObject([{ level: 40, problem: 'external-system-failed', reason: 'upstream-timeout' }]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });
});
