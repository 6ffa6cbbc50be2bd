import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { dump } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS_PATH } from '../http/paths';
import { allowRevalidation } from '../http/responses/response-headers';

/**
 * Without a viewport, phones show the layout of a desktop. The page of Nest has none, and no option for it, but it puts the
 * title into its head as it is; browsers ignore the end tag that then follows.
 */
const VIEWPORT = '</title><meta name="viewport" content="width=device-width">';

/** Serves the OpenAPI document as JSON and YAML, the Swagger page, and redirects `/docs/index.html` to it. */
export function serveDocs(app: NestFastifyApplication, title: string, createDocument: () => OpenAPIObject): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let created: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (created ??= createDocument());
  const serve = (path: string, type: string, print: (document: OpenAPIObject) => string): void => {
    let text: Buffer | undefined;
    fastify.get(path, { config: { isSharedBody: true, purpose: 'docs' } }, (_, reply) =>
      allowRevalidation(reply)
        .type(`${type}; charset=utf-8`)
        .send((text ??= Buffer.from(print(document())))),
    );
  };
  serve('/openapi.json', 'application/json', (object) => JSON.stringify(object));
  serve('/openapi.yaml', 'text/yaml', (object) => dump(object, { skipInvalid: true, noRefs: true }));
  fastify.addHook('onRoute', (route) => {
    // The page that Nest has at this path looks for its files in a folder that is not there.
    if (route.url === `${DOCS_PATH}/index.html`) route.onRequest = toPage;
    if (route.url === `${DOCS_PATH}/*`) route.onSend = [keepFiles, route.onSend ?? []].flat();
  });
  SwaggerModule.setup(DOCS_PATH, app, document, {
    // Nest's own documents are made anew for each request.
    raw: false,
    customSiteTitle: title + VIEWPORT,
    customCss: readFileSync(join(__dirname, 'swagger-page.css'), 'utf8'),
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
      // With it, a list of 1,000 records freezes the page for seconds, and one of 10,000 for ever.
      syntaxHighlight: false,
    },
  });
}

/** Redirects from `/` to the page, unless a team has a route of its own there: call it when all other routes are there. */
export function redirectRoot(fastify: FastifyInstance): void {
  const url = '/';
  if (!fastify.hasRoute({ method: 'GET', url })) fastify.get(url, { config: { purpose: 'docs' } }, toPage);
}

function toPage({ publicBasePath }: FastifyRequest, reply: FastifyReply): void {
  reply.redirect(publicBasePath + DOCS_PATH, 302);
}

/** `SwaggerModule` passes no options to `@fastify/static`. */
const keepFiles: onSendHookHandler = (_request, reply, _payload, done) => {
  if (reply.statusCode < 400) reply.header('Cache-Control', 'public, max-age=86400');
  done();
};
