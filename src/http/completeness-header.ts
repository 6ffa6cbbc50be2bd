import type { FastifyReply } from 'fastify';
import type { Completeness } from '../shipping/model/completeness';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';

/** Tells the client how complete its answer is; only a complete one may be stored. */
export function describeCompleteness(reply: FastifyReply, completeness: Completeness): void {
  if (completeness.level === 'complete') {
    reply.header(COMPLETENESS_HEADER, 'complete').header('Cache-Control', 'private, no-cache');
  } else {
    reply.header(COMPLETENESS_HEADER, `${completeness.level};reason=${completeness.reason}`);
  }
}
