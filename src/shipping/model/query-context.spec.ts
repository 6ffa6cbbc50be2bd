import type { FastifyRequest } from 'fastify';
import { RequestRecord } from '../../http/requests/request-record';
import { continueTrace } from '../../observability/tracing/tracing';
import { queryContextOf, ResultReport, stateCompleteness } from './query-context';
import { COMPLETE, type Completeness } from './query-result';

const CUT_OFF: Completeness = { level: 'complete', limit: 5 };
const PARTIAL: Completeness = { level: 'partial', reason: 'bad-reply', dropped: 2 };
const STALE: Completeness = { level: 'stale', reason: 'upstream-timeout' };
const UNAVAILABLE: Completeness = { level: 'unavailable', reason: 'circuit-open' };
/** From the best to the worst. */
const LEVELS = [COMPLETE, CUT_OFF, PARTIAL, STALE, UNAVAILABLE];

const ROWS = LEVELS.flatMap((one, index) => LEVELS.slice(index).map((other) => [one, other] as const));

it('queryContextOf has all that a query needs of its request, and one report for all queries', () => {
  const trace = continueTrace('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  const record = new RequestRecord(trace, {} as FastifyRequest['routeOptions']);
  const kept = { strict: true, forwarded: { 'X-Tenant-Id': 't' }, user: { id: 'subject s' } };
  const request = { id: 'r-1', record, ...kept } as unknown as FastifyRequest;
  const context = queryContextOf(request);
  const traceparent: unknown = expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  expect(context).toEqual({ requestId: 'r-1', traceparent, client: record.client, report: record.data, ...kept });
  expect(queryContextOf(request).report).toBe(context.report);
  expect(context.signal?.aborted).toBe(false);
  record.client.abort(new Error('left'));
  expect(context.signal?.aborted).toBe(true);
});

it.each(ROWS)('D83 of %j and %j, the second counts, in any order', (better, worse) => {
  for (const each of [
    [better, worse],
    [worse, better],
  ]) {
    const report = new ResultReport();
    for (const completeness of each) report.add({ completeness });
    expect(report.completeness).toBe(worse);
  }
});

it('D83 what a handler states counts, whatever is worse', () => {
  const report = new ResultReport();
  report.add({ completeness: UNAVAILABLE });
  stateCompleteness({ report }, PARTIAL);
  report.add({ completeness: UNAVAILABLE });
  expect([report.completeness, report.label]).toEqual([PARTIAL, 'partial;reason=bad-reply']);
  stateCompleteness({ report }, CUT_OFF);
  expect([report.completeness, report.label]).toEqual([CUT_OFF, 'complete']);
});

it('D75 of several results, the oldest names its age', () => {
  const report = new ResultReport();
  for (const ageSeconds of [undefined, 3, 9, 4]) {
    report.add({
      completeness: COMPLETE,
      cache: { status: ageSeconds === undefined ? 'fwd=miss' : 'hit', ageSeconds },
    });
  }
  expect(report.cache).toEqual({ status: 'hit', ageSeconds: 9 });
});
