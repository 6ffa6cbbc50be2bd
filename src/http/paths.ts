import type { FastifyRequest } from 'fastify';

export const API_PREFIX = '/api/';
export const DOCS_PATH = '/docs';
export const PROBLEMS_PATH = '/problems';
const MANAGEMENT_ROUTES = new Set<string | undefined>(['/health/live', '/health/ready', '/metrics']);

/** Replaces undecodable request targets; Node refuses control characters of clients. */
export const UNDECODABLE_TARGET = '/\0';

/** Whether a request matched a route of an API. */
export function isApiRequest(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(API_PREFIX) === true;
}

/** Whether a request matched a page or its files. */
export function isDocsRequest(request: FastifyRequest): boolean {
  const { url = '' } = request.routeOptions;
  return url.startsWith(DOCS_PATH) || url === PROBLEMS_PATH;
}

/** Whether a request matched a probe or the metrics. */
export function isManagementRequest(request: FastifyRequest): boolean {
  return MANAGEMENT_ROUTES.has(request.routeOptions.url);
}
