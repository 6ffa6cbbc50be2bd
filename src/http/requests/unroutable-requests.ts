import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { succeeds } from '../../common/errors';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, type ProblemDefinition, PROBLEMS } from '../problems/problem-definitions';

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

/** Refuses targets that Fastify cannot route (400, D12). */
export const refusalOfTarget = ({ url }: FastifyRequest): ProblemDefinition | undefined =>
  url === UNROUTABLE_TARGET ? UNROUTABLE.definition : undefined;

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
    const isOfService = config?.purpose !== undefined || config?.reportsCompleteness === true;
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
