import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, type SwaggerCustomOptions, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler, onSendHookHandler } from 'fastify';
import { dump } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { REVALIDATE } from '../http/default-headers';
import { type ProblemDefinition, PROBLEMS, PROBLEMS_PATH, REASONS } from '../http/problems/problem-definitions';
import { acceptsGzip } from '../http/responses/compression';
import { SharedBody } from '../http/shared-body';
import { documentedProblems } from './problem-response';

export const DOCS_PATH = '/docs';

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
    // `SwaggerModule` adds this route before the others of a page. Its URL shows the path of the page, by which the
    // others are recognised when they are added.
    const [, page] = /^(.*)\/swagger-ui-init\.js$/.exec(url) ?? [];
    if (page !== undefined) for (const path of ROUTES_OF_PAGES) marked.add(page + path);
    if (marked.has(url)) route.config = { ...route.config, purpose: 'docs' };
  });
}

/** The large files of the page, which are compressed once, as the documents are. */
const COMPRESSED_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];

/** The remedies that the Swagger page and the page of problems show, by the code of the problem. */
export const REMEDIES: Readonly<Partial<Record<string, string>>> = Object.fromEntries(
  Object.values(PROBLEMS).flatMap(({ code, remedy }) => (remedy === undefined ? [] : [[code, remedy]])),
);

/** `swagger-page.js` defines it, a plugin of Swagger UI that says above a response what happened (D88). */
declare const pagePlugin: unknown;

/** Finds files of the very package that `SwaggerModule` serves the page from. */
const ofSwagger = createRequire(require.resolve('@nestjs/swagger'));

/**
 * Serves the OpenAPI document as JSON and YAML, the Swagger page, a redirect from `/docs/index.html` to that page, and
 * the page of problems.
 *
 * @returns a function that returns the document, which is created when it is called first
 */
export function servePages(
  app: NestFastifyApplication,
  title: string,
  basePath: string,
  createDocument: () => OpenAPIObject,
): () => OpenAPIObject {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let created: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (created ??= createDocument());
  serveText(fastify, '/openapi.json', 'application/json', () => JSON.stringify(document()));
  serveText(fastify, '/openapi.yaml', 'text/yaml', () => dump(document(), { skipInvalid: true, noRefs: true }));
  serveProblemsPage(fastify, document, basePath);
  const whenSent = new Map<string, onSendHookHandler | onSendAsyncHookHandler>([
    [DOCS_PATH, sendOnce()],
    // The plugin stands before the script that uses it, so that the page has both or none.
    [`${DOCS_PATH}/swagger-ui-init.js`, sendOnce(textBeside('swagger-page.js'))],
    ...['*', ...COMPRESSED_FILES].map((name) => [`${DOCS_PATH}/${name}`, cacheForOneDay] as const),
  ]);
  fastify.addHook('onRoute', (route) => {
    // Nest serves the page at this path, too. Its scripts have addresses that are relative to `/`, such as
    // `docs/swagger-ui-bundle.js`, so that from here they would be looked for in `/docs/docs`. The route for other
    // methods has a hook of its own, which responds with 405.
    if (route.url === `${DOCS_PATH}/index.html`) route.onRequest ??= toPage;
    const hook = whenSent.get(route.url);
    if (hook !== undefined) route.onSend = [hook, route.onSend ?? []].flat();
  });
  for (const name of COMPRESSED_FILES) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    const file = ofSwagger.resolve(`swagger-ui-dist/${name}`);
    serveText(fastify, `${DOCS_PATH}/${name}`, type, () => readFileSync(file, 'utf8'));
  }
  SwaggerModule.setup(DOCS_PATH, app, document, pageOptions(title, basePath));
  return document;
}

function pageOptions(customSiteTitle: string, basePath: string): SwaggerCustomOptions {
  return {
    // Turns off the JSON and YAML of `SwaggerModule`, which makes them anew for each request; ours are made once.
    raw: false,
    customSiteTitle,
    customCss: textBeside('swagger-page.css'),
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 9,
      validatorUrl: null,
      // Highlighting the syntax of a list of 1,000 records freezes the page for seconds, and that of 10,000 never ends.
      syntaxHighlight: false,
      // `SwaggerModule` writes the source of the function into the script that starts Swagger UI.
      plugins: [() => pagePlugin],
      // The plugin reads these texts.
      responseNotes: { reasons: REASONS, remedies: REMEDIES, problems: basePath + PROBLEMS_PATH },
    },
  };
}

/**
 * Completes and compresses what `SwaggerModule` sends, which is the same text each time, once. The page has two texts,
 * for its address with and without a slash at the end, which differ in length. Hooks of a route run behind those of the
 * application, so that no other hook compresses the text.
 *
 * @param before a text that is sent before that of `SwaggerModule`
 */
function sendOnce(before = ''): onSendAsyncHookHandler {
  const made = new Map<number, SharedBody>();
  return async (request, reply, text) => {
    if (!(typeof text === 'string' || Buffer.isBuffer(text)) || reply.statusCode !== 200) return text;
    const shared = made.get(text.length) ?? SharedBody.of(before + text.toString());
    made.set(text.length, shared);
    if (!acceptsGzip(request.headers['accept-encoding'])) return shared.json;
    reply.header('Content-Encoding', 'gzip');
    return shared.compressed();
  };
}

/**
 * Serves the page that explains each problem and each reason of a failure: the problems of the service, and those that
 * the document shows besides.
 */
function serveProblemsPage(fastify: FastifyInstance, document: () => OpenAPIObject, basePath: string): void {
  const statuses = Object.values(REASONS).map(({ strictStatus }) => strictStatus);
  const strict = statuses.map((status) => ({ ...PROBLEMS.externalSystemFailed, status }));
  const own: ProblemDefinition[] = [...Object.values(PROBLEMS), ...strict];
  const ownCodes = new Set(own.map(({ code }) => code));
  // Read at start: a build in the same folder takes the files away for a time.
  const style = textBeside('problems-page.css').replace(/\s+/g, ' ');
  const page = textBeside('problems-page.html').replaceAll('{basePath}', basePath).replace('{style}', style);
  const reasons = [HEADS, ...Object.entries(REASONS).map(rowOf)].join('\n');
  serveText(fastify, PROBLEMS_PATH, 'text/html', () => {
    const problems = [...own, ...documentedProblems(document()).filter(({ code }) => !ownCodes.has(code))];
    const codes = new Set(problems.map(({ code }) => code));
    const sections = [...codes].map((code) => sectionOf(code, problems)).join('\n');
    return page.replace('{reasons}', reasons).replace('{problems}', () => sections);
  });
}

/**
 * Redirects from `/` to the Swagger page, unless an application that extends the service has a route at `/`. Call it
 * when all routes are registered.
 */
export function redirectRoot(fastify: FastifyInstance): void {
  const url = '/';
  if (!fastify.hasRoute({ method: 'GET', url })) fastify.get(url, { config: { purpose: 'docs' } }, toPage);
}

function toPage({ publicBasePath }: FastifyRequest, reply: FastifyReply): void {
  reply.redirect(publicBasePath + DOCS_PATH, 302);
}

/**
 * Lets browsers cache the files of the Swagger page. A hook does it, because `SwaggerModule` passes no options,
 * such as one for caching, to `@fastify/static`.
 */
const cacheForOneDay: onSendHookHandler = (_request, reply, _payload, done) => {
  if (reply.statusCode < 400) reply.header('Cache-Control', 'public, max-age=86400');
  done();
};

function sectionOf(code: string, problems: readonly ProblemDefinition[]): string {
  const ofCode = problems.filter((problem) => problem.code === code);
  const statuses = new Set(ofCode.map(({ status }) => status));
  const phrases = [...statuses].sort().map((status) => `${status} ${STATUS_CODES[status] ?? ''}`);
  const details = new Set(ofCode.map(({ detail }) => detail));
  const heading = `<h2 id="${code}"><code>${code}</code></h2>`;
  const remedy = REMEDIES[code] ?? (Math.min(...statuses) < 500 ? 'Send another request.' : 'Try once more.');
  return `${heading}<p>${phrases.join(', ')}: ${[...details].join(' ')} <b>What to do:</b> ${remedy}</p>`;
}

const HEADS = '<tr><th>reason</th><th>what happened</th><th>tell people</th><th>try again</th></tr>';

function rowOf([reason, { cause, tell, retry }]: [string, (typeof REASONS)['internal']]): string {
  return `<tr id="${reason}"><th><code>${reason}</code></th><td>${cause}</td><td>${tell}</td><td>${retry}</td></tr>`;
}

/**
 * Serves a text that is made at its first request and then kept with its codings, so that further requests do not cost
 * the time of making it (D71).
 */
function serveText(fastify: FastifyInstance, path: string, type: string, makeText: () => string): void {
  let made: SharedBody | undefined;
  fastify.get(path, { config: { purpose: 'docs' } }, (request, reply) => {
    made ??= SharedBody.of(makeText());
    request.record.ready = made;
    reply.header('Cache-Control', REVALIDATE).type(`${type}; charset=utf-8`);
    return reply.send(made.json);
  });
}

function textBeside(name: string): string {
  return readFileSync(join(__dirname, name), 'utf8');
}
