import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { UNROUTABLE_TARGET } from '../paths';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, PROBLEMS } from '../problems/problem-definitions';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNROUTABLE = new InvalidParametersException([
  { parameter: 'path', message: 'must start with / and be percent-encoded UTF-8' },
]);

/** Rejects targets that Fastify cannot route (400, D12), before guards and handlers run. */
export function rejectUnroutableTargets(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.url === UNROUTABLE_TARGET) sendProblem(reply, UNROUTABLE.definition);
    else done();
  });
}

/**
 * Adds a route to each path that responds with 405 to the methods that the path does not declare (D12). A path has to
 * declare all of its methods at once, as a controller does: Fastify throws where the 405 route already has a method.
 */
export function rejectOtherMethods(fastify: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ method, url, config }) => {
    // Nest's `enableCors` adds this route for preflights. It matches every path: with a 405 route beside it, paths that
    // do not exist would be 405 instead of 404.
    if (url === '*' || url === '/*') return;
    // The router does not distinguish paths by case, by names of parameters or by a slash at the end. Such paths get
    // the same key here, because Fastify throws where two 405 routes are added for what it takes for one path.
    const path = url.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');
    const methods = methodsByPath.get(path) ?? new Set();
    for (const declared of [method].flat()) methods.add(declared);
    if (methodsByPath.has(path)) return;
    methodsByPath.set(path, methods);
    // `after` calls back when the other methods of the path are declared, too: the 405 route must have none of them.
    fastify.after(() => {
      const method = METHODS.filter((each) => !methods.has(each));
      const allowed = [...methods].sort().join(', ');
      // A hook responds, because Fastify parses the body before the handler: a POST with an invalid body would be 400 or
      // 415.
      const onRequest: onRequestHookHandler = (_, reply) => {
        reply.header('Allow', allowed);
        sendProblem(reply, PROBLEMS.methodNotAllowed);
      };
      fastify.route({ url, config, method, onRequest, handler: () => undefined });
    });
  });
}
