import type { FastifyReply } from 'fastify';
import { timingMetric } from '../../http/server-timing';
import type { CallFacts } from '../model/query-result';

/** The name of this cache in `Cache-Status`. */
const CACHE_NAME = 'shipping-query-service';

/** Sets `Cache-Status` (RFC 9211), `Age` and the time of the external system in `Server-Timing`, where known. */
export function setCallFacts(reply: FastifyReply, { cache, externalMs }: CallFacts): void {
  if (externalMs !== undefined) reply.header('Server-Timing', timingMetric('external', externalMs));
  if (cache === undefined) return;
  reply.header('Cache-Status', `${CACHE_NAME}; ${cache.status}`);
  if (cache.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
}
