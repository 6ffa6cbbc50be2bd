import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_INTEGER } from '../../common/bounds';
import { parseQuery, queryStringOf } from '../../http/parameters/query-string';
import { pathOf } from '../../http/problems/problem';
import type { PagedShippingList } from '../model/response-bodies';

/** Clients refuse long headers: a longer `Link` is left out. */
export const MAX_LINK_LENGTH = 8192;

/**
 * Sets `Link` to the other pages (RFC 8288), with path and all parameters of the request. No link leads beyond the last
 * page, and an empty result has no pages.
 */
export function linkPages(reply: FastifyReply, page: PagedShippingList): void {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  const path = pathOf(reply.request.originalUrl);
  const kept = otherParameters(reply.request);
  const numbers = {
    ...(totalPages > 0 && { first: 1, last: totalPages }),
    ...(hasPreviousPage && { prev: Math.min(pageNumber - 1, totalPages) }),
    ...(hasNextPage && pageNumber < totalPages && { next: pageNumber + 1 }),
  };
  const links = Object.entries(numbers)
    .filter(([, number]) => number >= 1 && number <= MAX_INTEGER)
    .map(([relation, number]) => `<${path}?PageNumber=${number}${kept}>; rel="${relation}"`)
    .join(', ');
  if (links !== '' && links.length <= MAX_LINK_LENGTH) reply.header('Link', links);
}

function otherParameters(request: FastifyRequest): string {
  return parseQuery(queryStringOf(request))
    .filter(({ name }) => name?.toLowerCase() !== 'pagenumber')
    .map(({ name = '', value = '' }) => `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('');
}
