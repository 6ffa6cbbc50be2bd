import type { FastifyRequest } from 'fastify';
import { queryContextOf } from './query-context.decorator';

it('queryContextOf has all that a query needs of its request', () => {
  const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  const kept = { strict: true, forwarded: { 'X-Tenant-Id': 't' }, user: { id: 'subject s' } };
  const disconnect = new AbortController();
  const context = queryContextOf({ id: 'r-1', headers, disconnect, ...kept } as unknown as FastifyRequest);
  const traceparent: unknown = expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  expect(context).toEqual({ requestId: 'r-1', traceparent, signal: disconnect.signal, ...kept });
});
