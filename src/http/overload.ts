import type { FastifyInstance } from 'fastify';
import { isManagementRequest } from './paths';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';
import { setRetryAfter } from './response-headers';

const RETRY_AFTER_MS = 1000;

/**
 * Refuses requests with 503 while the process is overloaded. Probes and metrics are served.
 *
 * @param refused is called for each request that is refused
 */
export function refuseWhile(fastify: FastifyInstance, isOverloaded: () => boolean, refused: () => void): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOverloaded() && !isManagementRequest(request)) {
      refused();
      setRetryAfter(reply, RETRY_AFTER_MS);
      sendProblem(reply, request, PROBLEMS.overloaded);
    } else {
      done();
    }
  });
}
