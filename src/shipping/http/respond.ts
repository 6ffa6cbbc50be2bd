import type { FastifyReply } from 'fastify';
import { MAX_INTEGER } from '../../common/bounds';
import { comparableName, decodePair, pairsOf, queryStringOf } from '../../http/parameters/query-string';
import { asUriReference, pathOf } from '../../http/paths';
import { REVALIDATE } from '../../http/responses/response-headers';
import type { Completeness, QueryResult } from '../model/query-result';
import type { PagedShippingList } from '../model/response-bodies';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';
/** Clients refuse longer headers. */
export const MAX_LINK_LENGTH = 8192;

/** Sets the headers of a result, also `Cache-Status` (RFC 9211) and `Age`, and returns its body. */
export function respond<Body>(reply: FastifyReply, { body, completeness, cache }: QueryResult<Body>): Body {
  setCompleteness(reply, completeness);
  if (cache !== undefined) reply.header('Cache-Status', `shipping-query-service; ${cache.status}`);
  if (cache?.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
  return body;
}

/** The same for a page, with links to the others. */
export function respondPage(reply: FastifyReply, result: QueryResult<PagedShippingList>): PagedShippingList {
  linkPages(reply, result.body);
  return respond(reply, result);
}

function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const { level } = completeness;
  if (level === 'complete') {
    reply.request.completeness = level;
    const { limit } = completeness;
    reply.header(COMPLETENESS_HEADER, limit === undefined ? level : `${level};limit=${limit}`);
    reply.header('Cache-Control', REVALIDATE);
  } else {
    const { reason, dropped, cause } = completeness;
    reply.request.cause = cause;
    // A label of metrics: without the count.
    reply.request.completeness = `${level};reason=${reason}`;
    reply.header(COMPLETENESS_HEADER, reply.request.completeness + (dropped ? `;dropped=${dropped}` : ''));
  }
}

/** RFC 8288; no page beyond the last. Other parameters stay as they were sent. */
function linkPages(reply: FastifyReply, page: PagedShippingList): void {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  const { request } = reply;
  const path = request.publicBasePath + pathOf(request.originalUrl);
  const others = pairsOf(queryStringOf(request)).filter(
    (pair) => comparableName(decodePair(pair).name ?? '') !== 'pagenumber',
  );
  const kept = asUriReference(others.map((pair) => `&${pair}`).join(''));
  let links = '';
  const link = (relation: string, number: number): void => {
    if (number < 1 || number > MAX_INTEGER) return;
    links += `${links === '' ? '' : ', '}<${path}?PageNumber=${number}${kept}>; rel="${relation}"`;
  };
  if (totalPages > 0) {
    link('first', 1);
    link('last', totalPages);
  }
  if (hasPreviousPage) link('prev', Math.min(pageNumber - 1, totalPages));
  if (hasNextPage && pageNumber < totalPages) link('next', pageNumber + 1);
  if (links !== '' && links.length <= MAX_LINK_LENGTH) reply.header('Link', links);
}
