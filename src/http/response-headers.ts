import type { FastifyInstance, FastifyReply } from 'fastify';
import { isDocsRequest } from './paths';
import { API_SECURITY_HEADERS, PAGE_SECURITY_HEADERS } from './security-headers';

/** Complete results may be stored, and have to be revalidated. */
export const REVALIDATE = 'private, no-cache';
/** Files whose path changes with their content may be stored for good. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

const VARY = 'Prefer, accept-encoding';

/**
 * Sets the headers of every response. Routes overwrite `Cache-Control` where a response may be stored.
 *
 * @param hasCors whether pages of other origins may read the responses of the API
 * @param forwarded names of request headers that are sent on to another system, and so decide about responses
 */
export function addResponseHeaders(fastify: FastifyInstance, hasCors = false, forwarded: readonly string[] = []): void {
  const everywhere = { vary: [VARY, ...forwarded].join(', '), 'cache-control': 'no-store' };
  const cors = hasCors && { 'cross-origin-resource-policy': 'cross-origin' };
  const apiHeaders = { ...everywhere, ...API_SECURITY_HEADERS, ...cors };
  const pageHeaders = { ...everywhere, ...PAGE_SECURITY_HEADERS };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(isDocsRequest(request) ? pageHeaders : apiHeaders);
    done();
  });
}

/** Adds a request header to `Vary`: the response depends on it. */
export function varyBy(reply: FastifyReply, name: string): void {
  reply.header('Vary', `${String(reply.getHeader('Vary'))}, ${name}`);
}

/** Sets `Retry-After`, in whole seconds and at least one. */
export function setRetryAfter(reply: FastifyReply, ms: number): void {
  reply.header('Retry-After', String(Math.max(1, Math.ceil(ms / 1000))));
}
