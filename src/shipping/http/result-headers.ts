import type { FastifyReply } from 'fastify';
import { REVALIDATE, wholeSeconds } from '../../http/responses/response-headers';
import type { CacheReport, Completeness } from '../model/query-result';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';

/** Sets `Shipping-Completeness`; only complete results may be stored. */
export function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const isComplete = completeness.level === 'complete';
  const level = isComplete ? 'complete' : `${completeness.level};reason=${completeness.reason}`;
  // Without counts and times, which have any value: it is a label of metrics.
  reply.request.completeness = level;
  reply.header(COMPLETENESS_HEADER, level + (isComplete ? limitOf(completeness) : detailsOf(completeness)));
  if (isComplete) reply.header('Cache-Control', REVALIDATE);
}

function limitOf({ limit }: { readonly limit?: number }): string {
  return limit ? `;limit=${limit}` : '';
}

function detailsOf({ dropped, retryAfterMs }: { readonly dropped?: number; readonly retryAfterMs?: number }): string {
  if (retryAfterMs !== undefined) return `;retry-after=${wholeSeconds(retryAfterMs)}`;
  return dropped ? `;dropped=${dropped}` : '';
}

/** The name of this cache in `Cache-Status`. */
const CACHE_NAME = 'shipping-query-service';

/** Sets `Cache-Status` (RFC 9211) and `Age`, where there is a cache. */
export function setCacheStatus(reply: FastifyReply, cache: CacheReport | undefined): void {
  if (cache === undefined) return;
  reply.header('Cache-Status', `${CACHE_NAME}; ${cache.status}`);
  if (cache.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
}
