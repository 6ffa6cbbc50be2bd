import type { FastifyReply } from 'fastify';
import { REVALIDATE } from '../../http/response-headers';
import type { Completeness } from '../model/completeness';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';

/** Sets `Shipping-Completeness`; only complete results may be stored. */
export function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const { level } = completeness;
  const value = level === 'complete' ? level : `${level};reason=${completeness.reason}`;
  reply.request.completeness = value;
  reply.header(COMPLETENESS_HEADER, value);
  if (level === 'complete') reply.header('Cache-Control', REVALIDATE);
}
