import type { FastifyReply } from 'fastify';
import type { CacheReport } from '../shipping/model/call-context';
import { describeCaching } from './cache-headers';

function headersFor(report: CacheReport | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => ((headers[name] = value), reply),
    type: () => reply,
    serializer: () => reply,
  };
  describeCaching(reply as unknown as FastifyReply, report);
  return headers;
}

describe('describeCaching', () => {
  it.each<[string, CacheReport | undefined, Record<string, string>]>([
    ['nothing without a cache', undefined, {}],
    ['no age of what was asked for', { status: 'fwd=miss' }, { 'Cache-Status': 'shipping-query-service; fwd=miss' }],
    ['the age of what was kept', { status: 'hit; ttl=0', ageSeconds: 0 }, { 'Cache-Status': 'shipping-query-service; hit; ttl=0', Age: '0' }], // prettier-ignore
  ])('RFC 9211 tells %s', (_, report, headers) => {
    expect(headersFor(report)).toEqual(headers);
  });
});
