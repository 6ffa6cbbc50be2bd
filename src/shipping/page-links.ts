import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPERATIONS_PREFIX } from '../http/paths';
import type { RawQuery } from '../http/parameters/raw-query';
import { MAX_INTEGER } from './model/limits';
import type { PagedShippingList } from './model/paged-shipping-list';

/** Clients stop reading headers that are too long; rather none than one that costs the answer. */
const MAX_LINK_LENGTH = 8192;

const PAGED_LIST = `${OPERATIONS_PREFIX}/GetShippingPagedList`;

/** Tells where the other pages are (RFC 8288), every parameter given kept. An empty fallback has no pages to link to. */
export function linkPages(request: FastifyRequest, reply: FastifyReply, page: PagedShippingList): void {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  const targets: [relation: string, page: number][] = [];
  if (totalPages > 0) targets.push(['first', 1], ['last', totalPages]);
  if (hasPreviousPage) targets.push(['prev', pageNumber - 1]);
  if (hasNextPage) targets.push(['next', pageNumber + 1]);
  const kept = otherParameters(request.query as RawQuery);
  const links = targets
    .filter(([, number]) => number >= 1 && number <= MAX_INTEGER)
    .map(([relation, number]) => `<${PAGED_LIST}?PageNumber=${number}${kept}>; rel="${relation}"`);
  const header = links.join(', ');
  if (header !== '' && header.length <= MAX_LINK_LENGTH) reply.header('Link', header);
}

function otherParameters({ parameters }: RawQuery): string {
  let kept = '';
  for (const { name, value } of parameters) {
    if (name.toLowerCase() !== 'pagenumber') kept += `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return kept;
}
