import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../problems/problem.filter';
import { PROBLEMS } from '../problems/problem-definitions';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Responds with 405 to the methods that a path does not have. All methods of a path have to be declared in one go, as those
 * of controllers are.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ method, url }) => {
    // The router takes these for the same.
    const path = url.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');
    const known = methodsByPath.get(path);
    const methods = known ?? new Set();
    for (const declared of [method].flat()) methods.add(declared);
    if (known !== undefined) return;
    methodsByPath.set(path, methods);
    // When the path has all its methods: Fastify declares none twice.
    fastify.after(() => {
      refuseAllBut([...methods].sort(), url, fastify);
    });
  });
}

function refuseAllBut(allowed: readonly string[], url: string, fastify: FastifyInstance): void {
  const method = METHODS.filter((each) => !allowed.includes(each));
  if (method.length === 0) return;
  fastify.route({
    method,
    url,
    // Before a body is read.
    onRequest: (request, reply) => {
      reply.header('Allow', allowed.join(', '));
      sendProblem(reply, request, PROBLEMS.methodNotAllowed);
    },
    handler: () => undefined,
  });
}
