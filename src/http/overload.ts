import type { FastifyInstance } from 'fastify';
import { isApiRequest } from './paths';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';
import { setRetryAfter } from './response-headers';

const RETRY_AFTER_MS = 1000;

/**
 * Refuses API requests with 503 while the process is overloaded. Probes, metrics and docs are served.
 *
 * @param refused is called for each request that is refused
 */
export function refuseWhile(fastify: FastifyInstance, isOverloaded: () => boolean, refused: () => void): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOverloaded() && isApiRequest(request)) {
      refused();
      setRetryAfter(reply, RETRY_AFTER_MS);
      sendProblem(reply, request, PROBLEMS.overloaded);
    } else {
      done();
    }
  });
}
