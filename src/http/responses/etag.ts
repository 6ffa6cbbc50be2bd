import type { FastifyInstance } from 'fastify';
import { etagOf } from '../bodies/shared-body';

const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Adds a weak `ETag` to each 200 that clients may revalidate, and responds with 304 to `If-None-Match` (RFC 9110). */
export function addETags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const hasETag = request.isRevalidated && reply.statusCode === 200;
    if (!hasETag || !(typeof payload === 'string' || Buffer.isBuffer(payload))) {
      done();
      return;
    }
    // The ETag of a shared body is that of the bytes that are sent, unless a hook has replaced them (D74).
    const { sharedBody } = request;
    const etag = sharedBody?.json === payload ? sharedBody.etag : etagOf(payload);
    reply.header('ETag', `W/${etag}`);
    const isUnchanged = matches(request.headers['if-none-match'], etag);
    // A 304 has no body, so it has no type; the client keeps the `Link` of the response that it has stored.
    if (isUnchanged) reply.status(304).removeHeader('Content-Type').removeHeader('Link');
    // For HEAD, Fastify's own hook runs after this one: it drops the body, but reads its length before and throws on
    // `null`.
    done(null, isUnchanged && request.method !== 'HEAD' ? null : payload);
  });
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || (condition.match(OPAQUE_TAG) as string[] | null)?.includes(etag) === true;
}
