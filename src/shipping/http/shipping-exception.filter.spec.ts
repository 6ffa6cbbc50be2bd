import type { ArgumentsHost } from '@nestjs/common';
import { UpstreamFailure, type FailureReason } from '../../resilience/upstream-failure';
import { ShippingNotFoundException } from '../model/shipping-exceptions';
import { ShippingExceptionFilter } from './shipping-exception.filter';

type Reason = Exclude<FailureReason, 'internal'>;

interface Sent {
  readonly problem: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

function responseTo(exception: UpstreamFailure | ShippingNotFoundException, strict = false): Sent {
  const headers: Record<string, string> = {};
  let problem: unknown;
  const reply = {
    status: () => reply,
    type: () => reply,
    serializer: () => reply,
    header: (name: string, value: string) => ((headers[name] = value), reply),
    send: (body: unknown) => ((problem = body), reply),
  };
  const request = { id: 'REQ-1', originalUrl: '/api/Shipping/GetShippingSingle?Id=hidden', strict };
  const http = { getRequest: () => request, getResponse: () => reply };
  new ShippingExceptionFilter().catch(exception, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return { problem: JSON.parse(JSON.stringify(problem)) as Record<string, unknown>, headers };
}

const failure = (reason: Reason, retryAfterMs?: number): UpstreamFailure =>
  new UpstreamFailure(reason, 'hidden', { retryAfterMs });

describe('ShippingExceptionFilter', () => {
  it.each([
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [0, '1'],
    [86_400_000, '86400'],
  ])('D21 a 503 has Retry-After where a time is known: %d ms is %s s', (ms, seconds) => {
    expect(responseTo(failure('upstream-unreachable', ms), true).headers).toEqual({ 'Retry-After': seconds });
  });

  it('D21 no other response has Retry-After', () => {
    expect(responseTo(failure('circuit-open'), true).headers).toEqual({});
    expect(responseTo(failure('circuit-open', 1000)).headers).toEqual({});
    expect(responseTo(failure('upstream-error', 1000), true).headers).toEqual({});
  });

  it('sets the header about the cache on 404', () => {
    const cache = { status: 'fwd=miss' };
    const headers = { 'Cache-Status': 'shipping-query-service; fwd=miss' };
    expect(responseTo(new ShippingNotFoundException(cache)).headers).toEqual(headers);
  });
});
