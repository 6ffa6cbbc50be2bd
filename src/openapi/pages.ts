import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { dump } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { DOCS_PATH, PROBLEMS_PATH } from '../http/paths';
import type { ProblemDefinition } from '../http/problems/problem-definitions';
import { documentedProblems } from './problem-response';
import { allowRevalidation } from '../http/responses/response-headers';
import { SharedBody } from '../http/bodies/shared-body';

/**
 * Without a viewport, phones show the page in its layout for desktops. `SwaggerModule` has no option for a viewport,
 * but writes the title into the head unescaped: this text ends the title and adds the viewport. Browsers ignore the
 * second `</title>`, which Nest adds.
 */
const VIEWPORT = '</title><meta name="viewport" content="width=device-width">';

/**
 * Serves the OpenAPI document as JSON and YAML, the Swagger page, and a redirect from `/docs/index.html` to that page.
 *
 * @returns a function that returns the document, which is created when it is first needed
 */
export function serveDocs(
  app: NestFastifyApplication,
  title: string,
  createDocument: () => OpenAPIObject,
): () => OpenAPIObject {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let created: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (created ??= createDocument());
  serveText(fastify, '/openapi.json', 'application/json', () => JSON.stringify(document()));
  serveText(fastify, '/openapi.yaml', 'text/yaml', () => dump(document(), { skipInvalid: true, noRefs: true }));
  fastify.addHook('onRoute', (route) => {
    // Nest serves the page at this path, too, but its scripts have relative addresses, which lead to no file from
    // there.
    if (route.url === `${DOCS_PATH}/index.html`) route.onRequest = toPage;
    if (route.url === `${DOCS_PATH}/*`) route.onSend = [cacheForOneDay, route.onSend ?? []].flat();
  });
  SwaggerModule.setup(DOCS_PATH, app, document, {
    // Turns off the JSON and YAML of `SwaggerModule`, which makes them anew for each request; those above are made
    // once.
    raw: false,
    customSiteTitle: title + VIEWPORT,
    customCss: textBeside('swagger-page.css'),
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
      // Highlighting the syntax of a list of 1,000 records freezes the page for seconds, and that of 10,000 never ends.
      syntaxHighlight: false,
    },
  });
  return document;
}

/** Serves the page that explains each problem: those of the service, and those that the document shows besides. */
export function serveProblemsPage(
  fastify: FastifyInstance,
  own: readonly ProblemDefinition[],
  document: () => OpenAPIObject,
): void {
  const ownCodes = new Set(own.map(({ code }) => code));
  serveText(fastify, PROBLEMS_PATH, 'text/html', () => {
    const problems = [...own, ...documentedProblems(document()).filter(({ code }) => !ownCodes.has(code))];
    const codes = new Set(problems.map(({ code }) => code));
    const sections = [...codes].map((code) => sectionOf(code, problems)).join('\n');
    return textBeside('problems-page.html').replace('{problems}', () => sections);
  });
}

/**
 * Redirects from `/` to the Swagger page, unless an application that extends the service has a route at `/`. Call it
 * when all routes are registered.
 */
export function redirectRoot(fastify: FastifyInstance): void {
  const url = '/';
  // As a plugin, it comes after the plugins of the application, which may have a route at `/`, too.
  void fastify.register((_, __, done) => {
    if (!fastify.hasRoute({ method: 'GET', url })) fastify.get(url, { config: { purpose: 'docs' } }, toPage);
    done();
  });
}

function toPage({ publicBasePath }: FastifyRequest, reply: FastifyReply): void {
  reply.redirect(publicBasePath + DOCS_PATH, 302);
}

/**
 * Lets browsers cache the scripts and styles of the Swagger page. A hook does it, because `SwaggerModule` passes no
 * options, such as one for caching, to `@fastify/static`.
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
  return `${heading}<p>${phrases.join(', ')}: ${[...details].join(' ')}</p>`;
}

/**
 * Serves a text that is made at its first request and then kept with its codings, so that further requests do not cost
 * the time of making it (D71).
 */
function serveText(fastify: FastifyInstance, path: string, type: string, makeText: () => string): void {
  let made: Promise<SharedBody> | undefined;
  fastify.get(path, { config: { isSharedBody: true, purpose: 'docs' } }, async (request, reply) => {
    request.sharedBody = await (made ??= SharedBody.of(makeText()));
    return allowRevalidation(reply).type(`${type}; charset=utf-8`).send(request.sharedBody.json);
  });
}

function textBeside(name: string): string {
  return readFileSync(join(__dirname, name), 'utf8');
}
