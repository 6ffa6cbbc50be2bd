import type { FastifyRequest } from 'fastify';

/** Prefix of the APIs: preferences, load shedding and authentication apply to their routes. Routes match ignoring case. */
export const API_PREFIX = '/api/';

/** Prefix of the Swagger page and its files. */
export const DOCS_PREFIX = '/docs';

/** Prefix of the pages of problems, followed by the `code`. */
export const PROBLEMS_PREFIX = '/problems/';

const MANAGEMENT_ROUTES = new Set<string | undefined>(['/health/live', '/health/ready', '/metrics']);

/** Replaces request targets that cannot be decoded. No client can send it: Node refuses control characters. */
export const UNDECODABLE_TARGET = '/\0';

/** Whether the request matched the route of an API. */
export function isApiRequest(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(API_PREFIX) === true;
}

/** Whether the request matched the Swagger page or one of its files. */
export function isDocsRequest(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(DOCS_PREFIX) === true;
}

/** Whether the request matched a probe or the metrics of the service. */
export function isManagementRequest(request: FastifyRequest): boolean {
  return MANAGEMENT_ROUTES.has(request.routeOptions.url);
}
