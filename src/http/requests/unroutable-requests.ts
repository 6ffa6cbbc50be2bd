import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { succeeds } from '../../common/errors';
import { sendProblem } from '../problems/problem.filter';
import { InvalidParametersException, type ProblemDefinition, PROBLEMS } from '../problems/problem-definitions';

/**
 * The target that replaces a request target that Fastify cannot route; the response to it is 400. No client can send
 * this text, because Node refuses control characters.
 */
const UNROUTABLE_TARGET = '/\0';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
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

/** The last parameter of a path, where it is optional. */
const OPTIONAL = /(\/:[^/()]*)\?\/?$/;
/** The regular expression of a parameter, which may have groups. */
const EXPRESSION = /\((?:[^()]|\([^()]*\))*\)/g;

/**
 * Rejects methods that a path does not declare with 405 (D12).
 *
 * @returns a function that adds a route for them to each path; call it when all other routes are registered, because a
 * path may declare its methods in several places
 */
export function rejectOtherMethods(fastify: FastifyInstance): () => void {
  /** Of each path, the first URL and configuration, and all methods. */
  const routedPaths = new Map<string, Pick<RouteOptions, 'url' | 'config'> & { readonly methods: Set<string> }>();
  fastify.addHook('onRoute', ({ method, url, config }) => {
    // A route whose last parameter is optional has two paths.
    for (const each of new Set([url.replace(OPTIONAL, '$1'), url.replace(OPTIONAL, '') || '/'])) {
      const path = comparable(each);
      const routed = routedPaths.get(path) ?? { url: each, config, methods: new Set() };
      for (const declared of [method].flat()) routed.methods.add(declared);
      routedPaths.set(path, routed);
    }
  });
  // A path of an application that extends the service may have the method by another path, such as that of a page for
  // all paths, which a 405 route would hide (D83).
  const isElsewhere = (path: string, method: string): boolean =>
    [...routedPaths].some(([other, { methods }]) => other !== path && methods.has(method) && covers(other, path));
  return () => {
    const routes = [...routedPaths].map(([path, { url, config, methods }]) => {
      const isOfService = config?.purpose !== undefined || config?.reportsCompleteness === true;
      const method = METHODS.filter((each) => !methods.has(each) && (isOfService || !isElsewhere(path, each)));
      return { url, config, method, allowed: [...methods].sort().join(', ') };
    });
    for (const { allowed, ...route } of routes) {
      // Nest's `enableCors` adds such a route for preflights. It matches every path: with a 405 route beside it, paths
      // that do not exist would be 405 instead of 404.
      if (route.url === '*' || route.url === '/*') continue;
      // A hook responds, because Fastify parses the body before the handler: a POST with an invalid body would be 400 or
      // 415.
      const onRequest: onRequestHookHandler = (_, reply) => {
        reply.header('Allow', allowed);
        sendProblem(reply, PROBLEMS.methodNotAllowed);
      };
      fastify.route({ ...route, onRequest, handler: () => undefined });
    }
  };
}

/**
 * The router does not distinguish paths by case, by slashes that are repeated or at the end, or by names and expressions
 * of parameters. Such paths become equal here, because Fastify throws where two 405 routes are added for what it takes
 * for one path.
 */
function comparable(url: string): string {
  const withoutNames = url.replace(EXPRESSION, '()').replace(/:[^/.(-]+/g, ':');
  return withoutNames
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
}

/** Whether the requests that match the second path match the first one, too. */
function covers(other: string, path: string): boolean {
  const literal = other.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:[^/]*/g, '[^/]+').replace('*', '.*')}$`).test(path);
}
