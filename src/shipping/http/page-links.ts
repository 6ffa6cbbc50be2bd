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

function otherParameters(request: FastifyRequest): string {
  let kept = '';
  for (const { name = '', value = '' } of parseQuery(queryStringOf(request))) {
    if (name.toLowerCase() !== 'pagenumber') kept += `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return kept;
}
