import { METHODS } from 'node:http';
import { isPreflight, respondToPreflight, type CorsRules } from '../responses/cors';
import { sendProblem } from '../problems/problem.filter';
import { PROBLEMS } from '../problems/problem-definitions';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

const REFUSABLE_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Responds with 405 to the methods that a path does not have, and to preflights where there is CORS. All methods of a path
 * have to be declared in one go, as those of controllers are.
 */
export function refuseOtherMethods(fastify: FastifyInstance, cors: CorsRules | undefined): void {
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
  cors: CorsRules | undefined,
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

/**
 * Makes `HEAD` respond with the length of `GET`. Fastify measures and drops the body of `HEAD` in a hook of its own, which
 * has to run after all hooks that change the body.
 */
export function respondToHeadAsGet(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.method !== 'HEAD' || route.onSend === undefined) return;
    const [measure, ...others] = [route.onSend].flat();
    if (measure !== undefined) route.onSend = [...others, measure, dropLengthOfUnchanged];
  });
}

/** RFC 9110: the length of a 304 would be that of the 200 that it replaces. */
function dropLengthOfUnchanged(
  _: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (reply.statusCode === 304) reply.removeHeader('Content-Length');
  done(null, payload);
}
