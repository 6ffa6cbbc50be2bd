import type { FastifyReply } from 'fastify';
import type { CacheReport } from '../shipping/model/call-context';
import { encodeOnce } from './encoded-bodies';

/** How this cache calls itself in `Cache-Status`. */
const CACHE_NAME = 'shipping-query-service';

/**
 * Tells how the cache served an answer (RFC 9211) and how old it is; nothing where there is no cache. One that was kept is
 * not encoded anew for each who gets it.
 */
export function describeCaching(reply: FastifyReply, report: CacheReport | undefined): void {
  if (report === undefined) return;
  reply.header('Cache-Status', `${CACHE_NAME}; ${report.status}`);
  if (report.ageSeconds === undefined) return;
  reply.header('Age', String(report.ageSeconds));
  encodeOnce(reply);
}
