import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { succeeds } from '../common/errors';

export const DOCS_PATH = '/docs';
export const PROBLEMS_PATH = '/problems';

/**
 * The target that replaces a request target that Fastify cannot route; the response to it is 400. No client can send
 * this text, because Node refuses control characters.
 */
export const UNROUTABLE_TARGET = '/\0';

/** What the route that a request has matched is there for; `undefined` for operations, and where no route matches. */
export function purposeOf(request: FastifyRequest): FastifyContextConfig['purpose'] {
  return request.routeOptions.config.purpose;
}

/**
 * Marks the routes of all pages of `SwaggerModule`, those of applications that extend the service included: their
 * scripts and styles need a `Content-Security-Policy` of their own.
 */
export function markPages(fastify: FastifyInstance): void {
  const pages: string[] = [];
  fastify.addHook('onRoute', (route) => {
    // Of all routes of a page, `SwaggerModule` adds this one first; its URL shows the path of the page.
    const [, page] = /^(.*)\/swagger-ui-init\.js$/.exec(route.url) ?? [];
    if (page !== undefined) pages.push(page);
    if (!pages.some((path) => route.url === path || route.url.startsWith(`${path}/`))) return;
    route.config = { ...route.config, purpose: 'docs' };
    // Compressing the same texts again for each request would be the most expensive thing that the service does.
    route.compress = false;
  });
}

/**
 * The path of a request target as a URI reference, with single slashes: a reference that starts with `//` would name a
 * host. Characters that a URI must not contain are percent-encoded by their codes, which are the bytes that the client
 * sent: Node decodes each byte of a target to one character, as Latin-1.
 */
export function pathOf(url: string): string {
  const [target = ''] = url.split('?', 1);
  const path = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
  return path.replace(/\/{2,}/g, '/').replace(/[^\x21-\x7e]|["<>\\^`{|}[\]#]|%(?![0-9A-Fa-f]{2})/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
  });
}

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
