import type { FastifyInstance, FastifyReply } from 'fastify';
import { COMPLETENESS_HEADER } from './completeness-header';
import { encodingOf } from './encoded-bodies';

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
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || !isComplete(reply)) {
      done();
      return;
    }
    // Encoded once, for the tag and for the wire.
    const { bytes, tag } = encodingOf(payload);
    reply.header('ETag', `W/${tag}`);
    if (names(request.headers['if-none-match'], tag)) {
      reply.status(304).removeHeader('Content-Type').removeHeader('Content-Length');
      // The route of HEAD wants a payload to measure; one that is empty announces nothing.
      done(null, request.method === 'HEAD' ? '' : null);
    } else {
      done(null, bytes);
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
