import type { FastifyRequest } from 'fastify';
import { RequestRecord } from '../../http/requests/request-record';
import { continueTrace } from '../../observability/tracing/tracing';
import { queryContextOf } from './query-context';

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
