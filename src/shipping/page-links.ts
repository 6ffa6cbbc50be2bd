import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPERATIONS_PREFIX } from '../http/paths';
import type { RawQuery } from '../http/parameters/raw-query';
import { MAX_INTEGER } from './model/limits';
import type { PagedShippingList } from './model/paged-shipping-list';

/** Clients stop reading headers that are too long; rather none than one that costs the answer. */
export const MAX_LINK_LENGTH = 8192;

const PAGED_LIST = `${OPERATIONS_PREFIX}/GetShippingPagedList`;

/** Tells where the other pages are (RFC 8288), every parameter given kept. An empty fallback has no pages to link to. */
export function linkPages(request: FastifyRequest, reply: FastifyReply, page: PagedShippingList): void {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  const targets: [relation: string, page: number][] = [];
  if (totalPages > 0) targets.push(['first', 1], ['last', totalPages]);
  if (hasPreviousPage) targets.push(['prev', pageNumber - 1]);
  if (hasNextPage) targets.push(['next', pageNumber + 1]);
  const links = targets
    .filter(([, number]) => number >= 1 && number <= MAX_INTEGER)
    .map(([relation, number]) => `<${pageTarget(request.query as RawQuery, number)}>; rel="${relation}"`);
  const header = links.join(', ');
  if (header !== '' && header.length <= MAX_LINK_LENGTH) reply.header('Link', header);
}

function pageTarget(query: RawQuery, page: number): string {
  const pairs = query.parameters
    .filter(({ name }) => name.toLowerCase() !== 'pagenumber')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${PAGED_LIST}?${[`PageNumber=${page}`, ...pairs].join('&')}`;
}
