import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { purposeOf, UNROUTABLE_TARGET } from '../paths';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, ProblemException, PROBLEMS } from '../problems/problem-definitions';
import type { Overload, RequestMetrics } from '../requests/request.metrics';
import type { BoundedServer } from './bounded-server';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
/**
 * Every 503 for overload has this header, with the cause of the overload as its value. By it a balancer recognises that
 * another replica may serve the request. The 503 by which `handling=strict` reports a failed external system (D21)
 * lacks it. HAProxy and nginx choose another replica by no header of the response. They send this header in requests,
 * with the value `close`: the service then closes the connection instead of responding, and they try another replica.
 */
const OVERLOAD_HEADER = 'shipping-overload';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNROUTABLE = new InvalidParametersException([
  { parameter: 'path', message: 'must start with / and be percent-encoded UTF-8' },
]);

/**
 * Rejects, before guards and handlers run, targets that cannot be routed (400) and, while the service is overloaded,
 * all requests except those for probes and metrics (503, D34 and D59).
 */
export function rejectEarly(fastify: FastifyInstance, metrics: RequestMetrics, maxActiveRequests: number): void {
  const server = fastify.server as BoundedServer;
  const overload = (): Overload | undefined => {
    if (server.active > maxActiveRequests) return 'active-requests';
    return server.isFull ? 'unsent-bytes' : undefined;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.url === UNROUTABLE_TARGET) {
      sendProblem(reply, UNROUTABLE.definition);
      return;
    }
    const cause = overload();
    if (cause === undefined || purposeOf(request) === 'management') {
      done();
      return;
    }
    const exception = shed(reply, metrics, cause);
    if (request.headers[OVERLOAD_HEADER] === 'close') request.raw.socket.destroy();
    else sendProblem(reply, exception.definition);
  });
}

/** Sheds a request: counts it and marks its response, which the exception makes a 503. */
export function shed(reply: FastifyReply, metrics: RequestMetrics, cause: Overload): ProblemException {
  metrics.shed.inc({ cause });
  reply.header(OVERLOAD_HEADER, cause);
  return new ProblemException(OVERLOADED);
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
