import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { dump } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS_PATH } from '../http/paths';
import { REVALIDATE } from '../http/responses/response-headers';

/** Serves the OpenAPI document as JSON and YAML, the Swagger page, and a redirect from `/`. */
export function serveDocs(app: NestFastifyApplication, title: string, createDocument: () => OpenAPIObject): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let created: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (created ??= createDocument());
  const serve = (path: string, type: string, print: (document: OpenAPIObject) => string): void => {
    let text: Buffer | undefined;
    fastify.get(path, { config: { heldOnce: true } }, (_, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('Cache-Control', REVALIDATE)
        .send((text ??= Buffer.from(print(document())))),
    );
  };
  serve('/openapi.json', 'application/json', (object) => JSON.stringify(object));
  serve('/openapi.yaml', 'text/yaml', (object) => dump(object, { skipInvalid: true, noRefs: true }));
  fastify.get('/', (_, reply) => reply.redirect(DOCS_PATH, 302));
  cacheFiles(fastify);
  SwaggerModule.setup(DOCS_PATH, app, document, {
    // Nest's own documents are made anew for each request.
    raw: false,
    customSiteTitle: title,
    customCss: readFileSync(join(__dirname, 'swagger-page.css'), 'utf8'),
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
    },
  });
}

/** `SwaggerModule` passes no options to `@fastify/static`. */
function cacheFiles(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url !== `${DOCS_PATH}/*`) return;
    route.onSend = (_request, reply, _payload, done) => {
      if (reply.statusCode < 400) reply.header('Cache-Control', 'public, max-age=86400');
      done();
    };
  });
}
