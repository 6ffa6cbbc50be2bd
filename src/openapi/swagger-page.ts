import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS_PREFIX } from '../http/paths';

const ICON_PATH = `${DOCS_PREFIX}/favicon.svg`;

/** Hides the top bar of Swagger UI and reduces margins, so that the operations are near the top. */
const STYLE = `
  .swagger-ui .topbar { display: none }
  .swagger-ui .info { margin: 25px 0 }
  .swagger-ui .info h2 { margin: 20px 0 8px }
  .swagger-ui .info .description td { padding: 3px 10px 3px 0 }
`;

/** One click opens an operation with its examples filled in, another executes it. */
const SWAGGER_OPTIONS = {
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  docExpansion: 'list',
  // The codes of an operation, `x-problem-codes`.
  showExtensions: true,
  // The schemas are folded at the end.
  defaultModelsExpandDepth: 0,
  // No external validator.
  validatorUrl: null,
} as const;

/** Serves the OpenAPI document, the Swagger page with its icon, and a redirect from `/`. */
export function serveDocs(app: NestFastifyApplication, title: string, document: () => OpenAPIObject): void {
  SwaggerModule.setup(DOCS_PREFIX, app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: title,
    customfavIcon: ICON_PATH,
    customCss: STYLE,
    swaggerOptions: SWAGGER_OPTIONS,
  });
  const icon = readFileSync(join(__dirname, 'favicon.svg'));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.get(ICON_PATH, (_, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon),
  );
  fastify.get('/', (_, reply) => reply.redirect(DOCS_PREFIX, 302));
}
