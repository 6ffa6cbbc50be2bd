import type { FastifyReply, FastifyRequest } from 'fastify';
import { LoggedError } from '../../common/errors';
import { NO_STORE, REVALIDATE } from '../../http/default-headers';
import { pathOf } from '../../http/request-target';
import { MAX_INTEGER, PAGE_NUMBER } from '../model/parameter-rules';
import { ResultReport } from '../model/query-context';
import type { Completeness, PageLinks } from '../model/query-result';

const COMPLETENESS_HEADER = 'Shipping-Completeness';
/** The headers that a response has of its queries. An error that replaces the result must not carry them. */
const RESULT_HEADERS = [COMPLETENESS_HEADER, 'Cache-Status', 'Age', 'Link'];
/**
 * A longer `Link` is left out (D23): the default buffer of balancers holds 4 KiB for all headers of a response, and a
 * larger response becomes their 502.
 */
export const MAX_LINK_LENGTH = 2048;

const REPLACED = 'An interceptor responds without Shipping-Completeness: exclude the operations, or use CACHE_TTL_MS';

/**
 * Writes what the queries of a request have found into the headers of its response, whatever the handler returns and
 * an interceptor makes of it (D83). `completeResponses` calls it before it adds the ETag, where the headers allow that.
 *
 * @throws {LoggedError} where an interceptor has responded instead of the handler
 */
export function writeResultHeaders(reply: FastifyReply): void {
  const { data, route } = reply.request.record;
  const { reportsCompleteness } = route.config;
  if (reply.statusCode >= 400) {
    // An error that replaces a result, such as one that an interceptor throws, must not be called complete (D20).
    if (data !== undefined) for (const name of RESULT_HEADERS) reply.removeHeader(name);
  } else if (data instanceof ResultReport && data.completeness !== undefined) {
    setHeaders(reply, data, data.completeness);
  } else if (reportsCompleteness === 'always' || (reportsCompleteness === 'by query' && data === undefined)) {
    // An interceptor, such as Nest's `CacheInterceptor` or one that replaces errors, has responded instead of the
    // handler. An empty list in it may stem from an earlier failure of the external system.
    if (reply.statusCode === 200 && !reply.hasHeader(COMPLETENESS_HEADER)) throw new LoggedError(REPLACED);
  }
}

function setHeaders(reply: FastifyReply, { label = '', cache, page }: ResultReport, completeness: Completeness): void {
  reply.request.record.route.config.reportsCompleteness ??= 'by query';
  reply.header(COMPLETENESS_HEADER, label + detailOf(completeness));
  // A `Cache-Control` of the application stays where the response is complete.
  if (completeness.level !== 'complete') reply.header('Cache-Control', NO_STORE);
  else if (reply.getHeader('Cache-Control') === NO_STORE) reply.header('Cache-Control', REVALIDATE);
  if (cache !== undefined) reply.header('Cache-Status', `shipping-query-service; ${cache.status}`);
  if (cache?.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
  const link = page === undefined || completeness.level === 'unavailable' ? '' : linksOf(reply.request, page);
  if (link !== '' && link.length <= MAX_LINK_LENGTH) reply.header('Link', link);
}

/** What the header says of a completeness beside its level and reason. */
function detailOf(completeness: Completeness): string {
  if (completeness.level !== 'complete') return completeness.dropped ? `;dropped=${completeness.dropped}` : '';
  return completeness.limit === undefined ? '' : `;limit=${completeness.limit}`;
}

/** Links to other pages (RFC 8288) that exist, with all other known parameters of the request. */
function linksOf({ record, publicBasePath, originalUrl }: FastifyRequest, page: PageLinks): string {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  // Common clients split the header at `;` and `,` also inside a target, so that both are encoded.
  const path = (publicBasePath + pathOf(originalUrl)).replaceAll(';', '%3B').replaceAll(',', '%2C');
  let others = '';
  for (const name of Object.keys(record.parameters)) {
    if (name === 'PageNumber') continue;
    const value = record.parameters[name] ?? [];
    for (const text of typeof value === 'string' ? [value] : value) others += `&${name}=${encodeURIComponent(text)}`;
  }
  let links = '';
  const link = (relation: string, number: number): void => {
    // There is no link to a page that does not exist, or whose number no request could have.
    if (number < 1 || number > Math.min(totalPages, MAX_INTEGER)) return;
    links += `${links === '' ? '' : ', '}<${path}?PageNumber=${number}${others}>; rel="${relation}"`;
  };
  link('first', 1);
  link('last', totalPages);
  if (hasPreviousPage) link('prev', Math.min(pageNumber - 1, totalPages));
  // A system that counts pages from zero returns page 1 where page 2 was requested. Its `next` would be page 2 again,
  // and a client that follows links would never end (D23).
  const requested = Number(record.parameters.PageNumber ?? PAGE_NUMBER.default);
  if (hasNextPage && pageNumber + 1 > requested) link('next', pageNumber + 1);
  return links;
}
