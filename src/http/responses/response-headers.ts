import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Settings } from '../../config/settings';
import { isApiRequest, isDocsRequest } from '../paths';
import { prefersStrictHandling } from '../requests/request-headers';

/** Complete results may be stored, and have to be revalidated. */
export const REVALIDATE = 'private, no-cache';

/** In lower case: Fastify changes the case of any other name for each response. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** For responses that browsers must not run or embed. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * For pages: scripts of this server only, none inline; the page of Nest has its styles inline. Nothing is upgraded to HTTPS,
 * since pages have to work without; `Strict-Transport-Security` belongs to the proxy that terminates TLS.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sets the headers of every response. Routes overwrite `Cache-Control` where a response may be stored. */
export function addResponseHeaders(fastify: FastifyInstance, { corsOrigins, external }: Settings): void {
  const common = {
    ...SECURITY_HEADERS,
    vary: ['Prefer, accept-encoding', ...external.forwardHeaders].join(', '),
    'cache-control': 'no-store',
  };
  const cors = corsOrigins.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' };
  const apiHeaders = { ...common, ...cors, 'content-security-policy': API_POLICY };
  const pageHeaders = { ...common, 'content-security-policy': PAGE_POLICY };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(isDocsRequest(request) ? pageHeaders : apiHeaders);
    const { prefer } = request.headers;
    if (typeof prefer === 'string' && isApiRequest(request) && prefersStrictHandling(prefer)) {
      request.strict = true;
      reply.header('Preference-Applied', 'handling=strict');
    }
    done();
  });
}

/** Adds a request header to `Vary`: the response depends on it. */
export function varyBy(reply: FastifyReply, name: string): void {
  reply.header('Vary', `${String(reply.getHeader('Vary'))}, ${name}`);
}

/** Sets `Retry-After`, in whole seconds, at least one. */
export function setRetryAfter(reply: FastifyReply, ms: number): void {
  reply.header('Retry-After', String(Math.max(1, Math.ceil(ms / 1000))));
}
