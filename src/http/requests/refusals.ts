import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { succeeds } from '../../common/errors';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, type ProblemDefinition, PROBLEMS } from '../problems/problem-definitions';
import type { BoundedServer } from '../server/bounded-server';
import type { Overload, RequestMetrics } from './request-log';

const OVERLOADED = { ...PROBLEMS.overloaded, retryAfterMs: 1000 };
/**
 * Every 503 for overload has this header, with the cause of the overload as its value. By it a balancer recognises that
 * another replica may serve the request. The 503 by which `handling=strict` reports a failed external system (D21)
 * lacks it. HAProxy and nginx choose another replica by no header of the response. They send this header in requests,
 * with the value `close`: the service then closes the connection instead of responding, and they try another replica.
 */
const OVERLOAD_HEADER = 'shipping-overload';

/** Sheds a request: counts it, closes its connection where the client asks for that, and marks its response. */
export function shed(reply: FastifyReply, metrics: RequestMetrics, cause: Overload): ProblemDefinition {
  const { headers, raw } = reply.request;
  metrics.shed.inc({ cause });
  if (headers[OVERLOAD_HEADER] === 'close') raw.socket.destroy();
  reply.header(OVERLOAD_HEADER, cause);
  return OVERLOADED;
}

/**
 * The target that replaces a request target that Fastify cannot route; the response to it is 400. No client can send
 * this text, because Node refuses control characters.
 */
const UNROUTABLE_TARGET = '/\0';
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const UNROUTABLE = new InvalidParametersException([
  { parameter: 'path', message: 'must start with / and be percent-encoded UTF-8' },
]);

/**
 * The target by which Fastify routes a request. To one that it cannot route, Fastify would respond before our hooks
 * have run, without a request id and a log line: such a target is replaced by {@link UNROUTABLE_TARGET}.
 */
export function routableTarget({ url = '' }: { url?: string }): string {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = ''] = target.split('?', 1);
  if (path === '') return `/${target}`;
  const isRoutable = path.startsWith('/') && (!path.includes('%') || succeeds(() => decodeURIComponent(path)));
  return isRoutable ? target : UNROUTABLE_TARGET;
}

/** The problem that a request is refused with on its arrival, where it is refused. */
export type Refusal = (request: FastifyRequest) => ProblemDefinition | undefined;

/**
 * Refuses requests before guards and handlers run: those for another port, for targets that Fastify cannot route (400,
 * D12) and, while the service is overloaded, all except those for probes and metrics (503, D34 and D59).
 */
export function refuseRequests(
  fastify: FastifyInstance,
  refusalOfPort: Refusal,
  metrics: RequestMetrics,
  maxActiveRequests: number,
): void {
  const server = fastify.server as BoundedServer;
  const refusal = (request: FastifyRequest, reply: FastifyReply): ProblemDefinition | undefined => {
    const ofPort = refusalOfPort(request);
    if (ofPort !== undefined) return ofPort;
    if (request.url === UNROUTABLE_TARGET) return UNROUTABLE.definition;
    if (request.record.route.config.purpose === 'management') return undefined;
    if (server.active > maxActiveRequests) return shed(reply, metrics, 'active-requests');
    return server.isFull ? shed(reply, metrics, 'unsent-bytes') : undefined;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const problem = refusal(request, reply);
    if (problem === undefined) done();
    else sendProblem(reply, problem);
  });
}

/**
 * Rejects methods that a route of the service does not declare with 405 (D12). Routes of applications that extend the
 * service are left to Nest: a path may have the method by another of them, such as that of a page for all paths.
 *
 * @returns a function that adds a route for these methods; call it when all other routes are registered, because a path
 * may declare its methods in several places
 */
export function rejectOtherMethods(fastify: FastifyInstance): () => void {
  const ofService: Pick<RouteOptions, 'url' | 'config' | 'constraints'>[] = [];
  fastify.addHook('onRoute', ({ url, config, constraints }) => {
    const isOfService = config?.purpose !== undefined || config?.reportsCompleteness !== undefined;
    if (isOfService) ofService.push({ url, config, constraints });
  });
  return () => {
    // The hook above sees the routes that are added here, too.
    for (const declared of ofService.splice(0)) {
      let allowed: string[] = [];
      // A hook responds, because Fastify parses the body before the handler: a POST with an invalid body would be 400
      // or 415.
      const onRequest: onRequestHookHandler = (_, reply) => {
        reply.header('Allow', allowed.join(', '));
        sendProblem(reply, PROBLEMS.methodNotAllowed);
      };
      const route = { ...declared, onRequest, handler: () => undefined, exposeHeadRoute: false };
      // Fastify refuses a method that the path has already, in whatever spelling of the path it was declared.
      allowed = METHODS.filter((method) => !succeeds(() => fastify.route({ ...route, method })));
    }
  };
}
