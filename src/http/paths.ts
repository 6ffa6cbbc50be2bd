import type { FastifyInstance } from 'fastify';

export const DOCS_PATH = '/docs';
export const PROBLEMS_PATH = '/problems';

/** The paths of the routes that `SwaggerModule` adds for a page, below the path of the page. */
const ROUTES_OF_PAGES = ['', '/', '/*', '/index.html', '/LICENSE', '/swagger-ui-init.js'];

/**
 * Marks the routes of all pages of `SwaggerModule`, those of applications that extend the service included: their
 * scripts and styles need a `Content-Security-Policy` of their own. Other routes below the path of a page stay
 * unmarked: a page at `/api`, where the documentation of Nest has it, stands above the operations.
 */
export function markPages(fastify: FastifyInstance): void {
  const marked = new Set<string>();
  fastify.addHook('onRoute', (route) => {
    // For a page at `/`, `SwaggerModule` adds paths with two slashes, which the router takes for one.
    const url = route.url.replace('//', '/');
    // `SwaggerModule` adds this route before the others of a page. Its URL shows the path of the page, by which the others
    // are recognised when they are added.
    const [, page] = /^(.*)\/swagger-ui-init\.js$/.exec(url) ?? [];
    if (page !== undefined) for (const path of ROUTES_OF_PAGES) marked.add(page + path);
    if (!marked.has(url)) return;
    route.config = { ...route.config, purpose: 'docs' };
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
