import type { FastifyReply } from 'fastify';
import { COMPLETE, INCOMPLETENESS_REASONS, PARTIAL, type Completeness } from '../shipping/model/completeness';
import { describeCompleteness } from './completeness-header';

function headersFor(completeness: Completeness): Record<string, string> {
  const headers: Record<string, string> = {};
  const reply = { header: (name: string, value: string) => ((headers[name] = value), reply) };
  describeCompleteness(reply as unknown as FastifyReply, completeness);
  return headers;
}

describe('describeCompleteness', () => {
  it('D20 only a complete answer may be stored', () => {
    expect(headersFor(COMPLETE)).toEqual({
      'Shipping-Completeness': 'complete',
      'Cache-Control': expect.not.stringContaining('no-store'),
    });
  });

  it('D20 a partial answer had a bad reply', () => {
    expect(headersFor(PARTIAL)).toEqual({ 'Shipping-Completeness': 'partial;reason=bad-reply' });
  });

  it.each(INCOMPLETENESS_REASONS)('D20 an unavailable answer says %s', (reason) => {
    expect(headersFor({ level: 'unavailable', reason })).toEqual({
      'Shipping-Completeness': `unavailable;reason=${reason}`,
    });
  });
});
