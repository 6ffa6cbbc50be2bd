import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDocs, isOperation } from './paths';
import { prefersStrictHandling } from './prefer';
import { API_SECURITY_HEADERS, PAGE_SECURITY_HEADERS } from './security-headers';

const REQUEST_ID = 'X-Request-Id';
/** The second in lower case, as the compression looks for it. */
const VARY = 'Prefer, accept-encoding';

/** Sets the headers of every answer, once; routes overwrite `Cache-Control` where an answer may be stored. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader(REQUEST_ID)) return;
  const varies = reply.getHeader('Vary');
  reply
    .header(REQUEST_ID, request.id)
    .header('Vary', varies === undefined ? VARY : `${String(varies)}, ${VARY}`)
    .header('Cache-Control', 'no-store')
    .headers(isDocs(request) ? PAGE_SECURITY_HEADERS : API_SECURITY_HEADERS);
  if (isOperation(request) && prefersStrictHandling(request.headers.prefer)) {
    reply.header('Preference-Applied', 'handling=strict');
  }
}
