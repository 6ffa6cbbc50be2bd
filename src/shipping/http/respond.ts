import type { FastifyInstance, FastifyReply } from 'fastify';
import { trimmed } from '../../common/text';
import { heldOutsideHeap } from '../../http/bodies/held-memory';
import { comparableName, queryStringOf } from '../../http/parameters/query-string';
import { pathOf } from '../../http/paths';
import { ProblemException, PROBLEMS } from '../../http/problems/problem-definitions';
import { allowRevalidation, forbidStoring } from '../../http/responses/response-headers';
import { ThrottledLog } from '../../observability/logging/throttled-log';
import { MAX_INTEGER, PAGE_NUMBER } from '../model/parameter-rules';
import { type Completeness, type PageLinks, type QueryResult, unreadBodyOf } from '../model/query-result';
import type { PagedShippingList } from '../model/response-bodies';

export const COMPLETENESS_HEADER = 'Shipping-Completeness';
/**
 * The headers that {@link respond} and {@link respondPage} set. An error that replaces the result must not carry them.
 */
const RESULT_HEADERS = [COMPLETENESS_HEADER, 'Cache-Status', 'Age', 'Link'];
/**
 * A longer `Link` is left out (D23): the default buffer of balancers holds 4 KiB for all headers of a response, and a
 * larger response becomes their 502.
 */
export const MAX_LINK_LENGTH = 2048;

/** Sets the headers of a result, also `Cache-Status` (RFC 9211) and `Age`, and returns its body. */
export function respond<Body>(reply: FastifyReply, result: QueryResult<Body>): Body {
  const { completeness, cache } = result;
  // From here on `checkResults` demands the header of every 200 of this route, also of one that an interceptor sends.
  reply.request.routeOptions.config.reportsCompleteness = true;
  setCompleteness(reply, completeness);
  if (cache !== undefined) reply.header('Cache-Status', `shipping-query-service; ${cache.status}`);
  if (cache?.ageSeconds !== undefined) reply.header('Age', String(cache.ageSeconds));
  return sendsText(reply) ? (asText(reply, result) as Body) : result.body;
}

/** Does the same as {@link respond} for a page, and adds links to other pages. */
export function respondPage(reply: FastifyReply, result: QueryResult<PagedShippingList>): PagedShippingList {
  if (result.completeness.level !== 'unavailable') linkPages(reply, unreadBodyOf(result)?.links ?? result.body);
  return respond(reply, result);
}

/**
 * Whether the controller returns the JSON text of a body instead of the body. It does so for the routes of the service
 * where no interceptor of an application would see it: a cached text is then sent as it is stored (D75), and of a large
 * list only the text is kept while it is compressed and sent (D59).
 */
function sendsText({ request }: FastifyReply): boolean {
  return request.routeOptions.config.sendsText === true && !request.hasInterceptors;
}

/** What a controller returns instead of a body whose JSON text the serializer of the reply sends. */
const SENT_AS_TEXT = {};

/**
 * Makes the reply send the JSON text of a body, and returns what the controller has to return. Nest keeps that until
 * the response is sent: the body could be collected only then, and so could the text if it were returned itself (D59).
 */
function asText(reply: FastifyReply, result: QueryResult<unknown>): unknown {
  const shared = unreadBodyOf(result)?.body;
  reply.request.sharedBody = shared;
  let text: string | Buffer = shared?.json ?? heldOutsideHeap(JSON.stringify(result.body));
  reply.header('Content-Type', 'application/json; charset=utf-8').serializer((body: unknown) => {
    // Where a hook fails later, an exception filter sends another body with this serializer.
    if (body !== SENT_AS_TEXT) return JSON.stringify(body);
    const taken = text;
    text = '';
    // Fastify sends a buffer as well, although its types name texts only.
    return taken as string;
  });
  return SENT_AS_TEXT;
}

const failures = new ThrottledLog('Completeness');

/**
 * Makes sure that `Shipping-Completeness` is right for its response, even where an application that extends the service
 * adds interceptors. Call it before `addETags`, because hooks run in the order in which they are added: the hook here
 * may forbid to store a response, which must then get no ETag.
 */
export function checkResults(fastify: FastifyInstance): void {
  // A 200 without `Shipping-Completeness` becomes a 500 where the route reports it: an operation, or a route whose
  // handler has called `respond`. An interceptor, such as Nest's `CacheInterceptor`, has sent it instead of the handler,
  // and an empty list in it may stem from an earlier failure of the external system. The hook is `onSend`, because
  // Fastify runs `preSerialization` only for objects, and the body may be a text, such as CSV.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const isReported = reply.statusCode !== 200 || reply.hasHeader(COMPLETENESS_HEADER);
    if (!isReported && request.routeOptions.config.reportsCompleteness === true) {
      failures.failed(
        'An interceptor responds without Shipping-Completeness: exclude the operations, or use CACHE_TTL_MS',
      );
      done(new ProblemException(PROBLEMS.internalError));
      return;
    }
    // An error that replaces a result, such as that of an interceptor which throws after `respond`, must neither be
    // stored nor be called complete (D20).
    if (reply.statusCode >= 400 && request.completeness !== undefined) {
      for (const name of RESULT_HEADERS) reply.removeHeader(name);
      forbidStoring(reply);
      request.completeness = undefined;
      request.causes = undefined;
    }
    done();
  });
}

function setCompleteness(reply: FastifyReply, completeness: Completeness): void {
  const { level, causes } = completeness;
  reply.request.causes = causes;
  if (level === 'complete') {
    reply.request.completeness = level;
    const { limit } = completeness;
    reply.header(COMPLETENESS_HEADER, limit === undefined ? level : `${level};limit=${limit}`);
    allowRevalidation(reply);
  } else {
    const { reason, dropped } = completeness;
    // This value becomes a label of metrics. It leaves out the number of dropped records, because each number would
    // make a time series of its own.
    reply.request.completeness = `${level};reason=${reason}`;
    reply.header(COMPLETENESS_HEADER, reply.request.completeness + (dropped ? `;dropped=${dropped}` : ''));
  }
}

/** Adds links to other pages (RFC 8288) that exist, with all other parameters of the request. */
function linkPages(reply: FastifyReply, page: PageLinks): void {
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = page;
  const { request } = reply;
  // Common clients split the header at `;` and `,` also inside a target, so that both are encoded in the path. In the
  // query, `URLSearchParams` encodes them.
  const path = (request.publicBasePath + pathOf(request.originalUrl)).replace(/[;,]/g, encodeURIComponent);
  // `URLSearchParams` drops a `?` at the beginning: one that the client sent belongs to the name of a parameter.
  const query = new URLSearchParams(`?${queryStringOf(request)}`);
  const name = [...query.keys()].find((each) => comparableName(each) === 'pagenumber') ?? 'PageNumber';
  const requested = Number(trimmed(query.get(name) ?? '')) || PAGE_NUMBER.default;
  query.delete(name);
  const others = query.size > 0 ? `&${query.toString()}` : '';
  const links: string[] = [];
  const link = (relation: string, number: number): void => {
    // There is no link to a page that does not exist, or whose number no request could have.
    if (number < 1 || number > Math.min(totalPages, MAX_INTEGER)) return;
    links.push(`<${path}?PageNumber=${number}${others}>; rel="${relation}"`);
  };
  link('first', 1);
  link('last', totalPages);
  if (hasPreviousPage) link('prev', Math.min(pageNumber - 1, totalPages));
  // A system that counts pages from zero returns page 1 where page 2 was requested. Its `next` would be page 2 again,
  // and a client that follows links would never end (D23).
  if (hasNextPage && pageNumber + 1 > requested) link('next', pageNumber + 1);
  const header = links.join(', ');
  if (header !== '' && header.length <= MAX_LINK_LENGTH) reply.header('Link', header);
}
