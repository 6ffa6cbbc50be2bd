import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bytesHeldBy } from '../responses/compression';
import { isManagementRequest } from '../paths';
import { ProblemException, type ProblemDefinition } from '../problems/problem';
import { PROBLEMS } from '../problems/problem-definitions';
import type { Overload } from '../requests/request.metrics';
import { setRetryAfter } from '../responses/response-headers';

/** Bytes of responses that clients have not taken yet, of all connections together. */
export const MAX_UNSENT_BYTES = 134_217_728;

const RETRY_AFTER_MS = 1000;

/**
 * Refuses requests with 503 while the process is overloaded. Probes and metrics are served.
 *
 * @param overload returns the cause of the overload, `undefined` without one
 * @param refused is called for each request that is refused
 */
export function whileOverloaded(
  overload: () => Overload | undefined,
  refused: (cause: Overload) => void,
): (request: FastifyRequest, reply: FastifyReply) => ProblemDefinition | undefined {
  return (request, reply) => {
    const cause = overload();
    if (cause === undefined || isManagementRequest(request)) return undefined;
    refused(cause);
    setRetryAfter(reply, RETRY_AFTER_MS);
    return PROBLEMS.overloaded;
  };
}

/**
 * Counts the bytes of each response until they are sent. While there are too many, a 503 replaces results of requests that are
 * in progress already: all requests of a burst are, before its first response is written.
 *
 * @param resultHeaders names of headers that such a 503 must not have
 */
export function boundUnsentBytes(
  fastify: FastifyInstance,
  isFull: () => boolean,
  refused: (cause: Overload) => void,
  resultHeaders: readonly string[],
): void {
  fastify.addHook('preSerialization', (request, reply, _, done) => {
    if (reply.statusCode !== 200 || !isFull() || isManagementRequest(request)) {
      done();
      return;
    }
    refused('unsent-bytes');
    request.completeness = undefined;
    for (const name of resultHeaders) reply.removeHeader(name);
    setRetryAfter(reply.header('Cache-Control', 'no-store'), RETRY_AFTER_MS);
    done(new ProblemException(PROBLEMS.overloaded));
  });
  fastify.addHook('onSend', (_, reply, payload, done) => {
    fastify.connections.count(reply.raw, bytesHeldBy(payload));
    done();
  });
}
