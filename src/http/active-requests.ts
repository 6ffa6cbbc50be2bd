import type { FastifyInstance } from 'fastify';
import { isApiRequest } from './paths';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

const RETRY_AFTER_SECONDS = '1';

/**
 * Refuses API requests with 503 while more than `max` requests are in progress. Probes, metrics and docs are served.
 *
 * @param refused is called for each request that is refused
 */
export function boundActiveRequests(
  fastify: FastifyInstance,
  activeRequests: () => number,
  max: number,
  refused: () => void,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (activeRequests() > max && isApiRequest(request)) {
      refused();
      reply.header('Retry-After', RETRY_AFTER_SECONDS);
      sendProblem(reply, request, PROBLEMS.overloaded);
    } else {
      done();
    }
  });
}
