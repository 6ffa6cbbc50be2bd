import type { FastifyReply } from 'fastify';
import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import { COMPLETE, PARTIAL, type CacheReport, type Completeness } from '../model/query-result';
import { setCacheStatus, setCompleteness } from './result-headers';

function headersFor(completeness: Completeness): Record<string, string> {
  const headers: Record<string, string> = {};
  const request = { completeness: undefined };
  const reply = { request, header: (name: string, value: string) => ((headers[name] = value), reply) };
  setCompleteness(reply as unknown as FastifyReply, completeness);
  // For logs and metrics, whose values do not depend on the client.
  expect(request.completeness).toBe(headers['Shipping-Completeness']?.replace(/;(limit|dropped|retry-after)=.*/, ''));
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

  it.each<[Completeness, string]>([
    [{ ...PARTIAL, dropped: 3 } as Completeness, 'partial;reason=bad-reply;dropped=3'],
    [
      { level: 'unavailable', reason: 'circuit-open', retryAfterMs: 3001 },
      'unavailable;reason=circuit-open;retry-after=4',
    ],
    [
      { level: 'unavailable', reason: 'upstream-error', retryAfterMs: 0 },
      'unavailable;reason=upstream-error;retry-after=1',
    ],
  ])('D52 %j', (completeness, value) => {
    expect(headersFor(completeness)).toEqual({ 'Shipping-Completeness': value });
  });

  it.each(FAILURE_REASONS)('D20 an unavailable result has the reason %s', (reason) => {
    expect(headersFor({ level: 'unavailable', reason })).toEqual({
      'Shipping-Completeness': `unavailable;reason=${reason}`,
    });
  });
});

describe('setCacheStatus', () => {
  it.each<[string, CacheReport | undefined, Record<string, string>]>([
    ['nothing without a cache', undefined, {}],
    ['no age of an upstream response', { status: 'fwd=miss' }, { 'Cache-Status': 'shipping-query-service; fwd=miss' }],
    ['the age of a cached result', { status: 'hit; ttl=0', ageSeconds: 0 }, { 'Cache-Status': 'shipping-query-service; hit; ttl=0', Age: '0' }], // prettier-ignore
  ])('RFC 9211 sets %s', (_, cache, expected) => {
    const headers: Record<string, string> = {};
    const reply = { header: (name: string, value: string) => ((headers[name] = value), reply) };
    setCacheStatus(reply as unknown as FastifyReply, cache);
    expect(headers).toEqual(expected);
  });
});
