import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { isManagementRequest, UNROUTABLE_TARGET } from '../paths';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, PROBLEMS } from '../problems/problem-definitions';
import type { Overload, RequestMetrics } from '../requests/request.metrics';
import type { BoundedServer } from './bounded-server';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
/**
 * Every refusal for overload has this header, with its cause, so that a balancer need not read the requests of clients to
 * tell it from the 503 of a strict client, which is a result. A balancer that cannot look at headers of responses, such as
 * nginx, sends it with the value `close`: its connection is closed instead, which it takes for a failure of the replica.
 */
const OVERLOAD_HEADER = 'shipping-overload';
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
      metrics.refused.inc({ cause });
      if (request.headers[OVERLOAD_HEADER] === 'close') {
        request.raw.socket.destroy();
        return;
      }
      reply.header(OVERLOAD_HEADER, cause);
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
    // Paths that the router takes for the same get the same key.
    const path = url.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');
    const known = methodsByPath.get(path);
    const methods = known ?? new Set();
    for (const declared of [method].flat()) methods.add(declared);
    if (known !== undefined) return;
    methodsByPath.set(path, methods);
    // Fastify refuses a method that is declared twice, so a path declares all its own methods first.
    fastify.after(() => {
      const allowed = [...methods].sort();
      const method = METHODS.filter((each) => !methods.has(each));
      if (method.length > 0) fastify.route({ url, config, method, ...refusing(allowed.join(', ')) });
    });
  });
}

function refusing(allowed: string): Pick<RouteOptions, 'onRequest' | 'handler'> {
  return {
    // This hook runs before a body is read.
    onRequest: (_, reply) => {
      reply.header('Allow', allowed);
      sendProblem(reply, PROBLEMS.methodNotAllowed);
    },
    handler: () => undefined,
  };
}
