import type { FastifyReply } from 'fastify';
import type { CallFacts } from '../model/query-result';
import { setCallFacts } from './call-facts.headers';

function headersFor(facts: CallFacts): Record<string, string> {
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => ((headers[name] = value), reply),
  };
  setCallFacts(reply as unknown as FastifyReply, facts);
  return headers;
}

describe('setCallFacts', () => {
  it.each<[string, CallFacts, Record<string, string>]>([
    ['nothing without a cache', {}, {}],
    ['no age of an upstream response', { cache: { status: 'fwd=miss' } }, { 'Cache-Status': 'shipping-query-service; fwd=miss' }], // prettier-ignore
    ['the age of a cached result', { cache: { status: 'hit; ttl=0', ageSeconds: 0 } }, { 'Cache-Status': 'shipping-query-service; hit; ttl=0', Age: '0' }], // prettier-ignore
    ['the time of the external system', { externalMs: 1.26 }, { 'Server-Timing': 'external;dur=1.3' }],
  ])('RFC 9211 sets %s', (_, facts, headers) => {
    expect(headersFor(facts)).toEqual(headers);
  });
});
