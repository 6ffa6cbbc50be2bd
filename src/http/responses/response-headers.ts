import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Settings } from '../../config/settings';
import { purposeOf } from '../paths';

/** `Cache-Control` of responses that clients may store, and of all others. */
const REVALIDATE = 'private, no-cache';
const NO_STORE = 'no-store';

/** The names are in lower case, as Node lists those of a response. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const POLICY = 'content-security-policy';
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Inline styles are allowed because the page of `@nestjs/swagger` has some. There is no `upgrade-insecure-requests`,
 * because the page has to work without HTTPS, too.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sets the headers that every response has. Routes, hooks and middleware may overwrite them. */
export function addResponseHeaders(fastify: FastifyInstance, { corsOrigins, external, access }: Settings): void {
  // Shared caches must not store responses to requests with `Authorization` (RFC 9111). `X-API-Key` is unknown to them:
  // without `Vary`, they could use a stored response to one key for requests with another key, or with none.
  const keyHeader = access.apiKeys.length > 0 ? ['X-API-Key'] : [];
  const common = {
    ...SECURITY_HEADERS,
    vary: ['Prefer, accept-encoding', ...external.forwardHeaders, ...keyHeader].join(', '),
    'cache-control': NO_STORE,
  };
  const cors = corsOrigins.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' };
  const apiHeaders: Readonly<Record<string, string>> = { ...common, ...cors, [POLICY]: API_POLICY };
  const pageHeaders: Readonly<Record<string, string>> = { ...common, [POLICY]: PAGE_POLICY };
  fastify.addHook('onRequest', (request, reply, done) => {
    const policy = reply.getHeader(POLICY);
    reply.header('x-request-id', request.id).headers(purposeOf(request) === 'docs' ? pageHeaders : apiHeaders);
    if (policy !== undefined) reply.header(POLICY, policy);
    if (request.strict) reply.header('Preference-Applied', 'handling=strict');
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (request.isPrepared && reply.statusCode >= 400) forgetReplaced(reply);
    request.isPrepared = true;
    // Helmet as a middleware and `useSecurityHeaders` of Nest set headers on Node's response, and Fastify would replace
    // these by ours of the same name. Their values are kept (D83), except that of `Vary`, which always has to name
    // `Prefer` (D21).
    for (const name of reply.raw.getHeaderNames()) {
      const value = reply.getHeader(name);
      const isOurs = value === apiHeaders[name] || value === pageHeaders[name];
      if (isOurs && name !== 'vary') reply.header(name, reply.raw.getHeader(name));
    }
    done();
  });
}

/**
 * Headers that describe a body. Those of a stream that has failed before its first byte are on the response of Node
 * already, from which they have to be removed as well.
 */
const OF_BODY = ['Content-Encoding', 'Content-Disposition', 'Cache-Control', 'ETag'];

/** Removes from an error what belongs to the response whose place it takes (D20, D79). */
function forgetReplaced(reply: FastifyReply): void {
  for (const name of OF_BODY) {
    reply.removeHeader(name);
    reply.raw.removeHeader(name);
  }
  forbidStoring(reply);
}

/** Lets clients store a response, and gives it an `ETag` where it is a 200. */
export function allowRevalidation(reply: FastifyReply): FastifyReply {
  reply.request.isRevalidated = true;
  return reply.header('Cache-Control', REVALIDATE);
}

/** Reverses {@link allowRevalidation}: clients must not store the response, and it gets no `ETag`. */
export function forbidStoring(reply: FastifyReply): void {
  reply.request.isRevalidated = false;
  reply.header('Cache-Control', NO_STORE).removeHeader('ETag');
}
