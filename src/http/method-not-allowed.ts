import { METHODS } from 'node:http';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isPreflight, respondToPreflight, type CorsHeaders } from './cors';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

const READ_METHODS = ['GET', 'HEAD'];
const OTHER_METHODS = METHODS.filter((method) => !READ_METHODS.includes(method) && method !== 'CONNECT');

/** Responds to other methods than GET and HEAD with 405 on every route, and to preflights where there is CORS. */
export function refuseOtherMethods(fastify: FastifyInstance, cors: CorsHeaders | undefined): void {
  for (const method of OTHER_METHODS) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  }
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    if (method !== 'GET') return;
    fastify.route({
      method: OTHER_METHODS,
      url,
      // Before a body is read.
      onRequest: (request, reply) => {
        if (cors !== undefined && isPreflight(request)) {
          respondToPreflight(reply, cors);
          return;
        }
        reply.header('Allow', READ_METHODS.join(', '));
        sendProblem(reply, request, PROBLEMS.methodNotAllowed);
      },
      handler: () => undefined,
    });
  });
}
