import type { FastifyRequest } from 'fastify';

/** Where the operations live; routes match ignoring case. */
export const OPERATIONS_PREFIX = '/api/Shipping';

/** Where the Swagger page and its files live. */
export const DOCS_PREFIX = '/docs';

/** Whether the request found the route of an operation. */
export function isOperation(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(OPERATIONS_PREFIX) === true;
}

/** Whether the request found the Swagger page or a file of it. */
export function isDocs(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith(DOCS_PREFIX) === true;
}

/** Whether the request found a probe or the metrics. */
export function isManagement(request: FastifyRequest): boolean {
  const { url = '' } = request.routeOptions;
  return url.startsWith('/health') || url.startsWith('/metrics');
}
