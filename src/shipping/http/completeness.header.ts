import type { FastifyReply } from 'fastify';
import { REVALIDATE } from '../../http/response-headers';
import type { Completeness } from '../model/completeness';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';

/** Sets `Shipping-Completeness`; only complete results may be stored. */
export function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const { level } = completeness;
  if (level === 'complete') {
    const { limit } = completeness;
    reply.header('Cache-Control', REVALIDATE).header(COMPLETENESS_HEADER, limit ? `${level};limit=${limit}` : level);
    // Without the limit, which a client chooses: the values are labels of metrics.
    reply.request.completeness = level;
  } else {
    const value = `${level};reason=${completeness.reason}`;
    reply.header(COMPLETENESS_HEADER, value);
    reply.request.completeness = value;
  }
}
