import type { FastifyRequest } from 'fastify';

/** Prefix of the APIs: preferences, load shedding and authentication apply to their routes. Routes match ignoring case. */
export const API_PREFIX = '/api/';

/** Path of the Swagger page; its files are below. */
export const DOCS_PATH = '/docs';

/** Path of the page of problems, with an anchor for each `code`. */
export const PROBLEMS_PATH = '/problems';

const MANAGEMENT_ROUTES = new Set<string | undefined>(['/health/live', '/health/ready', '/metrics']);

/** Replaces request targets that cannot be decoded. No client can send it: Node refuses control characters. */
export const UNDECODABLE_TARGET = '/\0';

/** Whether the request matched the route of an API. */
export function isApiRequest(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(API_PREFIX) === true;
}

/** Whether the request matched a page for people or one of its files. */
export function isDocsRequest(request: FastifyRequest): boolean {
  const { url = '' } = request.routeOptions;
  return url.startsWith(DOCS_PATH) || url === PROBLEMS_PATH;
}

/** Whether the request matched a probe or the metrics of the service. */
export function isManagementRequest(request: FastifyRequest): boolean {
  return MANAGEMENT_ROUTES.has(request.routeOptions.url);
}
