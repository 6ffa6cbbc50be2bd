import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { dump } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS_PATH } from '../http/paths';
import { REVALIDATE } from '../http/responses/response-headers';

const HELD_ONCE = { config: { heldOnce: true } };
const STYLE_SHEET = join(__dirname, 'swagger-page.css');

/** Serves the OpenAPI document as JSON and YAML, the Swagger page, and a redirect from `/`. */
export function serveDocs(app: NestFastifyApplication, title: string, createDocument: () => OpenAPIObject): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const document = once(createDocument);
  const json = once(() => Buffer.from(JSON.stringify(document())));
  const yaml = once(() => Buffer.from(dump(document(), { skipInvalid: true, noRefs: true })));
  fastify.get('/openapi.json', HELD_ONCE, (_, reply) =>
    reply.type('application/json; charset=utf-8').header('Cache-Control', REVALIDATE).send(json()),
  );
  fastify.get('/openapi.yaml', HELD_ONCE, (_, reply) =>
    reply.type('text/yaml; charset=utf-8').header('Cache-Control', REVALIDATE).send(yaml()),
  );
  fastify.get('/', (_, reply) => reply.redirect(DOCS_PATH, 302));
  cacheFiles(fastify);
  SwaggerModule.setup(DOCS_PATH, app, document, {
    // Nest's own documents are made anew for each request.
    raw: false,
    customSiteTitle: title,
    customCss: readFileSync(STYLE_SHEET, 'utf8'),
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

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
