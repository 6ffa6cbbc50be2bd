import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NO_STORE } from '../requests/on-arrival';
import { etagOf, ReadyBody } from './shared-body';

/** `Cache-Control` of responses that clients may store. */
const REVALIDATE = 'private, no-cache';
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Headers that describe a body. Those of a stream that has failed before its first byte are on the response of Node
 * already, from which they have to be removed as well.
 */
const OF_BODY = ['Content-Encoding', 'Content-Disposition', 'Cache-Control', 'ETag'];

/**
 * Completes the headers of each response, adds a weak `ETag` to each 200 that clients may revalidate, and responds with
 * 304 to `If-None-Match` (RFC 9110).
 *
 * @param ownHeaders those that were set on arrival
 */
export function completeResponses(
  fastify: FastifyInstance,
  ownHeaders: readonly Readonly<Record<string, string>>[],
): void {
  fastify.addHook('preSerialization', ({ record }, reply, payload: unknown, done) => {
    if (payload instanceof ReadyBody) {
      record.ready = payload.content;
      reply.serializer(textOf);
    }
    done(null, payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { record } = request;
    if (reply.statusCode >= 400) forgetReplaced(reply);
    record.isPrepared = true;
    // Helmet as a middleware and `useSecurityHeaders` of Nest set headers on Node's response, and Fastify would replace
    // these by ours of the same name. Their values are kept (D83), except that of `Vary`, which always has to name
    // `Prefer` (D21).
    for (const name of reply.raw.getHeaderNames()) {
      const value = reply.getHeader(name);
      const isOurs = ownHeaders.some((headers) => value === headers[name]);
      if (isOurs && name !== 'vary') reply.header(name, reply.raw.getHeader(name));
    }
    const isTagged = record.isRevalidated && reply.statusCode === 200;
    if (isTagged && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
      // The ETag of a ready body is that of the bytes that are sent, unless a hook has replaced them (D74).
      const etag = record.ready?.json === payload ? record.ready.etag : etagOf(payload);
      done(null, sendTagged(request, reply, payload, etag));
    } else {
      done();
    }
  });
}

/**
 * The text of a body. Where a hook fails later, an exception filter sends another body with the serializer of the ready
 * one.
 */
function textOf(body: unknown): string {
  // Fastify sends a buffer as well, although its types name texts only.
  return body instanceof ReadyBody ? (body.take() as string) : JSON.stringify(body);
}

/** Removes from an error what belongs to the response whose place it takes (D20, D79). */
function forgetReplaced(reply: FastifyReply): void {
  const { record } = reply.request;
  if (record.isPrepared) {
    for (const name of OF_BODY) {
      reply.removeHeader(name);
      reply.raw.removeHeader(name);
    }
  }
  record.isRevalidated = false;
  reply.header('Cache-Control', NO_STORE);
}

function sendTagged(request: FastifyRequest, reply: FastifyReply, payload: string | Buffer, etag: string) {
  reply.header('ETag', `W/${etag}`);
  if (!matches(request.headers['if-none-match'], etag)) return payload;
  // A 304 has no body, so it has no type; the client keeps the `Link` of the response that it has stored.
  reply.status(304).removeHeader('Content-Type').removeHeader('Link');
  // For HEAD, Fastify's own hook runs after this one: it drops the body, but reads its length before and throws on
  // `null`.
  return request.method === 'HEAD' ? payload : null;
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || (condition.match(OPAQUE_TAG) as string[] | null)?.includes(etag) === true;
}

/** Lets clients store a response, and gives it an `ETag` where it is a 200. */
export function allowRevalidation(reply: FastifyReply): FastifyReply {
  reply.request.record.isRevalidated = true;
  return reply.header('Cache-Control', REVALIDATE);
}
