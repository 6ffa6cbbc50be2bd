import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { isManagementRequest, UNROUTABLE_TARGET } from '../paths';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, PROBLEMS } from '../problems/problem-definitions';
import type { Overload, RequestMetrics } from '../requests/request.metrics';
import type { BoundedServer } from './bounded-server';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNROUTABLE = new InvalidParametersException([
  { parameter: 'path', message: 'must start with / and be percent-encoded UTF-8' },
]);

/** Refuses unroutable targets (400), requests at the wrong port (404), and all but probes while overloaded (503). */
export function refuseEarly(
  fastify: FastifyInstance,
  metrics: RequestMetrics,
  isAtOtherPort: ((request: FastifyRequest) => boolean) | undefined,
  maxActiveRequests: number,
): void {
  const server = fastify.server as BoundedServer;
  const overload = (): Overload | undefined => {
    if (server.active > maxActiveRequests) return 'active-requests';
    return server.isFull ? 'unsent-bytes' : undefined;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const cause = isManagementRequest(request) ? undefined : overload();
    if (request.url === UNROUTABLE_TARGET) {
      sendProblem(reply, UNROUTABLE.definition);
    } else if (isAtOtherPort?.(request) === true) {
      sendProblem(reply, PROBLEMS.routeNotFound);
    } else if (cause !== undefined) {
      metrics.requestRefused(cause);
      sendProblem(reply, OVERLOADED);
    } else {
      done();
    }
  });
}

/** Responds with 405 to other methods of a path, whose own are declared in one go, as by a controller. */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ method, url, config }) => {
    // It matches every path, also those that do not exist: `enableCors` of Nest adds it for preflights.
    if (url === '*' || url === '/*') return;
    // Equal for the router.
    const path = url.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');
    const known = methodsByPath.get(path);
    const methods = known ?? new Set();
    for (const declared of [method].flat()) methods.add(declared);
    if (known !== undefined) return;
    methodsByPath.set(path, methods);
    // Fastify declares no method twice: the path needs all its own first.
    fastify.after(() => {
      refuseAllBut([...methods].sort(), { url, config }, fastify);
    });
  });
}

function refuseAllBut(
  allowed: readonly string[],
  path: Pick<RouteOptions, 'url' | 'config'>,
  fastify: FastifyInstance,
): void {
  const method = METHODS.filter((each) => !allowed.includes(each));
  if (method.length === 0) return;
  fastify.route({
    ...path,
    method,
    // Before a body is read.
    onRequest: (_, reply) => {
      reply.header('Allow', allowed.join(', '));
      sendProblem(reply, PROBLEMS.methodNotAllowed);
    },
    handler: () => undefined,
  });
}
