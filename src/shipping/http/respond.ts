import type { FastifyReply } from 'fastify';
import { REVALIDATE } from '../../http/responses/response-headers';
import type { CacheReport, Completeness, QueryResult } from '../model/query-result';
import type { PagedShippingList } from '../model/response-bodies';
import { linkPages } from './page-links';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';

/** Sets the headers of a result, and returns its body. */
export function respond<Body>(reply: FastifyReply, { body, completeness, cache }: QueryResult<Body>): Body {
  setCompleteness(reply, completeness);
  setCacheStatus(reply, cache);
  return body;
}

/** Sets the headers of a page, with links to the other pages of the route, and returns its body. */
export function respondPage(reply: FastifyReply, result: QueryResult<PagedShippingList>): PagedShippingList {
  linkPages(reply, result.body);
  return respond(reply, result);
}

/** Only complete results may be stored. */
function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const { level } = completeness;
  if (level === 'complete') {
    reply.request.completeness = level;
    const { limit } = completeness;
    reply.header(COMPLETENESS_HEADER, limit === undefined ? level : `${level};limit=${limit}`);
    reply.header('Cache-Control', REVALIDATE);
  } else {
    const { reason, dropped } = completeness;
    // Without the count, which has any value: it is a label of metrics.
    reply.request.completeness = `${level};reason=${reason}`;
    reply.header(COMPLETENESS_HEADER, reply.request.completeness + (dropped ? `;dropped=${dropped}` : ''));
  }
}

/** Sets `Cache-Status` (RFC 9211) and `Age`, where there is a cache. */
export function setCacheStatus(reply: FastifyReply, cache: CacheReport | undefined): void {
  if (cache === undefined) return;
  reply.header('Cache-Status', `shipping-query-service; ${cache.status}`);
  if (cache.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
}
