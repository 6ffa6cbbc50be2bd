import type { FastifyReply } from 'fastify';
import { COMPLETE, PARTIAL, type Completeness } from '../model/completeness';
import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import { setCompleteness } from './completeness.header';

function headersFor(completeness: Completeness): Record<string, string> {
  const headers: Record<string, string> = {};
  const request = { completeness: undefined };
  const reply = { request, header: (name: string, value: string) => ((headers[name] = value), reply) };
  setCompleteness(reply as unknown as FastifyReply, completeness);
  // For logs and metrics, whose values do not depend on the client.
  expect(request.completeness).toBe(headers['Shipping-Completeness']?.replace(/;limit=.*/, ''));
  return headers;
}

describe('setCompleteness', () => {
  it('D20 only complete results may be stored', () => {
    expect(headersFor(COMPLETE)).toEqual({
      'Shipping-Completeness': 'complete',
      'Cache-Control': expect.not.stringContaining('no-store'),
    });
  });

  it('D31 a complete list that may be cut off names its limit', () => {
    expect(headersFor({ level: 'complete', limit: 20 })).toEqual({
      'Shipping-Completeness': 'complete;limit=20',
      'Cache-Control': 'private, no-cache',
    });
  });

  it('D20 the reason of a partial result is bad-reply', () => {
    expect(headersFor(PARTIAL)).toEqual({ 'Shipping-Completeness': 'partial;reason=bad-reply' });
  });

  it.each(FAILURE_REASONS)('D20 an unavailable result has the reason %s', (reason) => {
    expect(headersFor({ level: 'unavailable', reason })).toEqual({
      'Shipping-Completeness': `unavailable;reason=${reason}`,
    });
  });
});
