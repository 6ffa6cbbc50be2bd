import type { FastifyRequest } from 'fastify';
import { succeeds } from '../common/errors';

export const API_PREFIX = '/api/';
export const DOCS_PATH = '/docs';
export const PROBLEMS_PATH = '/problems';
const MANAGEMENT_ROUTES = new Set<string | undefined>(['/health/live', '/health/ready', '/metrics']);

/** Replaces targets that cannot be routed; Node refuses control characters of clients. */
export const UNROUTABLE_TARGET = '/\0';

/** Fastify builds its options at each access. */
export function routeOf(request: FastifyRequest): FastifyRequest['routeOptions'] {
  return (request.route ??= request.routeOptions);
}

/** Whether a request matched a route of an API. */
export function isApiRequest(request: FastifyRequest): boolean {
  return routeOf(request).url?.startsWith(API_PREFIX) === true;
}

/** Whether a request matched a page or its files. */
export function isDocsRequest(request: FastifyRequest): boolean {
  const { url = '' } = routeOf(request);
  return url.startsWith(DOCS_PATH) || url === PROBLEMS_PATH;
}

/** Whether a request matched a probe or the metrics. */
export function isManagementRequest(request: FastifyRequest): boolean {
  return MANAGEMENT_ROUTES.has(routeOf(request).url);
}

/** The path of a request target as a URI reference, with single slashes: one that starts with `//` would name a host. */
export function pathOf(url: string): string {
  const [target = ''] = url.split('?', 1);
  const path = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/]*/i, '');
  return asUriReference(path.replace(/\/{2,}/g, '/'));
}

/** Encodes what a URI must not contain. Node decodes each byte of a target to one character, as Latin-1. */
export function asUriReference(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}[\]#]|%(?![0-9A-Fa-f]{2})/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
  });
}

/** What Fastify routes by; for other targets, it and Nest skip hooks. */
export function routableTarget({ url = '' }: { url?: string }): string {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = ''] = target.split('?', 1);
  if (path === '') return `/${target}`;
  const isRoutable = path.startsWith('/') && (!path.includes('%') || succeeds(() => decodeURIComponent(path)));
  return isRoutable ? target : UNROUTABLE_TARGET;
}
