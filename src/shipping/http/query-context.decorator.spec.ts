import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { ClientDisconnect } from '../../http/requests/disconnects';
import type { QueryContext } from '../model/query-context';
import { Context } from './query-context.decorator';

type Factory = (data: unknown, execution: ExecutionContext) => QueryContext;

/** The factory behind the parameter decorator, as the framework finds it. */
function factory(): Factory {
  class Holder {
    handle(@Context() context: QueryContext): QueryContext {
      return context;
    }
  }
  const metadata = Reflect.getMetadata(ROUTE_ARGS_METADATA, Holder, 'handle') as Record<string, { factory: Factory }>;
  const [only] = Object.values(metadata);
  if (only === undefined) throw new Error('The decorator left no trace');
  return only.factory;
}

describe('Context', () => {
  it('is the context of the request', () => {
    const disconnect = new ClientDisconnect();
    const headers = { 'cache-control': 'no-cache', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const user = { id: 'key 1', subject: undefined, scopes: ['read'], claims: {} };
    const request = { id: 'REQ-1', headers, disconnect, strict: true, user, forwarded: { 'X-A': '1' } };
    const execution = { getArgByIndex: () => request } as unknown as ExecutionContext;
    expect(factory()(undefined, execution)).toEqual({
      requestId: 'REQ-1',
      traceparent: expect.stringMatching(`^00-${'a'.repeat(32)}-(?!${'b'.repeat(16)})[0-9a-f]{16}-01$`),
      strict: true,
      signal: disconnect,
      cacheControl: 'no-cache',
      forwarded: { 'X-A': '1' },
      user,
    });
  });
});
