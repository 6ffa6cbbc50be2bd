import type { FastifyInstance, FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import { COMPLETENESS_HEADER } from './completeness-header';
import { encodeUtf8 } from './utf8';

const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Gives complete answers an `ETag` over their body, and answers 304 where `If-None-Match` names it (RFC 9110). The tag is
 * weak: it stands for the body whatever its content coding.
 */
export function tagCompleteAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 304) {
      // A file that has not changed: its empty stream is nothing to encode.
      done(null, null);
      return;
    }
    if (typeof payload !== 'string' || !isComplete(reply)) {
      done();
      return;
    }
    // Encoded once, for the tag and for the wire.
    const body = encodeUtf8(payload);
    const tag = `"${hash('sha1', body, 'base64url')}"`;
    reply.header('ETag', `W/${tag}`);
    if (names(request.headers['if-none-match'], tag)) {
      reply.status(304).removeHeader('Content-Type').removeHeader('Content-Length');
      // The route of HEAD wants a payload to measure; one that is empty announces nothing.
      done(null, request.method === 'HEAD' ? '' : null);
    } else {
      done(null, body);
    }
  });
}

function isComplete(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && reply.getHeader(COMPLETENESS_HEADER) === 'complete';
}

/** Compares weakly, as `If-None-Match` wants it. */
function names(condition: string | undefined, tag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || (condition.match(OPAQUE_TAG) as string[] | null)?.includes(tag) === true;
}
