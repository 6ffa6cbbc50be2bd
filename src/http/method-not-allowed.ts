import { METHODS } from 'node:http';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isPreflight, respondToPreflight, type CorsHeaders } from './cors';
import { sendProblem } from './problem.filter';
import { PROBLEMS } from './problems';

const REFUSABLE_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Responds with 405 to the methods that a path does not have, and to preflights where there is CORS. All methods of a path
 * have to be declared in one go, as those of controllers are.
 */
export function refuseOtherMethods(fastify: FastifyInstance, cors: CorsHeaders | undefined): void {
  for (const method of REFUSABLE_METHODS) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  }
  const methodsByPath = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    const path = comparablePath(url);
    let methods = methodsByPath.get(path);
    if (methods === undefined) {
      methods = new Set();
      methodsByPath.set(path, methods);
      // Later, when the path has all its methods: Fastify declares none twice.
      fastify.after(() => {
        refuseAllBut([...(methodsByPath.get(path) ?? [])], url, fastify, cors);
      });
    }
    for (const declared of [method].flat()) methods.add(declared);
  });
}

function refuseAllBut(
  methods: readonly string[],
  url: string,
  fastify: FastifyInstance,
  cors: CorsHeaders | undefined,
): void {
  const allowed = [...methods].sort();
  const others = REFUSABLE_METHODS.filter((method) => !methods.includes(method));
  if (others.length === 0) return;
  fastify.route({
    method: others,
    url,
    // Before a body is read.
    onRequest: (request, reply) => {
      if (cors !== undefined && isPreflight(request)) {
        respondToPreflight(reply, allowed, cors);
        return;
      }
      reply.header('Allow', allowed.join(', '));
      sendProblem(reply, request, PROBLEMS.methodNotAllowed);
    },
    handler: () => undefined,
  });
}

/** The same for paths that the router takes for the same. */
function comparablePath(url: string): string {
  return url.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');
}
