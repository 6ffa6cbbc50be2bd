import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import type { ExecutionContext } from '@nestjs/common';
import type { CallContext } from '../shipping/model/call-context';
import { Context } from './call-context.decorator';
import { Departure } from './departure';

type Factory = (data: unknown, execution: ExecutionContext) => CallContext;

/** The factory behind the parameter decorator, as the framework finds it. */
function factory(): Factory {
  class Holder {
    handle(@Context() context: CallContext): CallContext {
      return context;
    }
  }
  const metadata = Reflect.getMetadata(ROUTE_ARGS_METADATA, Holder, 'handle') as Record<string, { factory: Factory }>;
  const [only] = Object.values(metadata);
  if (only === undefined) throw new Error('The decorator left no trace');
  return only.factory;
}

describe('Context', () => {
  it('hands over what the request says of its call', () => {
    const departure = new Departure();
    const headers = { prefer: 'handling=strict', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const request = { id: 'REQ-1', headers, departure };
    const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    expect(factory()(undefined, execution)).toEqual({
      requestId: 'REQ-1',
      traceparent: expect.stringMatching(`^00-${'a'.repeat(32)}-(?!${'b'.repeat(16)})[0-9a-f]{16}-01$`),
      strict: true,
      signal: departure,
    });
  });
});
