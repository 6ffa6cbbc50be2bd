import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS, type Settings } from '../config/settings';
import { DOCS_PREFIX, OPERATIONS_PREFIX } from '../http/paths';
import { describeAccess } from './access-docs';
import { HEADERS } from './components';
import { configuredDocument } from './configured-document';
import { DESCRIPTION } from './description';
import { OPERATION_RESPONSES, PROBE_RESPONSES, RESPONSES } from './responses';

const TITLE = 'Shipping Query Service';
const { version: VERSION } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
const ICON_PATH = `${DOCS_PREFIX}/favicon.svg`;

/** Without the bar that says whose page generator this is, and low rows, so that the operations come soon. */
const STYLE = `
  .swagger-ui .topbar { display: none }
  .swagger-ui .info { margin: 25px 0 }
  .swagger-ui .info h2 { margin: 20px 0 8px }
  .swagger-ui .info .description td { padding: 3px 10px 3px 0 }
`;

/** From the page to an answer: one click opens an operation with its examples filled in, another executes it. */
const SWAGGER_OPTIONS = {
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  docExpansion: 'list',
  // The schemas stand folded at the end.
  defaultModelsExpandDepth: 0,
  // Nobody else is asked whether the document is valid.
  validatorUrl: null,
} as const;

/** The OpenAPI 3.1 document, made from the code of the application and, where they differ from the defaults, its settings. */
export function createDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setVersion(VERSION)
    .setDescription(DESCRIPTION)
    .setContact(
      'Shipping Query Service maintainers',
      'https://example.com/shipping-query-service',
      'maintainers@example.com',
    )
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'The server that serves this document, be it local, test or production', undefined, {
      'x-internal': false,
    })
    .addTag('Shipping', 'The four queries')
    .addTag('Operation', 'Probes for an orchestrator')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_, method) => method });
  document.components = { ...document.components, headers: { ...HEADERS }, responses: RESPONSES };
  // Said, not left out: no operation asks who is calling.
  document.security = [];
  addSharedResponses(document);
  const settings = app.get<Settings>(SETTINGS);
  describeAccess(document, settings);
  return configuredDocument(document, settings);
}

function addSharedResponses({ paths }: OpenAPIObject): void {
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    const common = path.startsWith(OPERATIONS_PREFIX) ? OPERATION_RESPONSES : PROBE_RESPONSES;
    const responses = Object.entries({ ...common, ...get.responses });
    // A description beside a reference, empty as the decorators make it, would stand in place of the true one.
    get.responses = Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        response !== undefined && '$ref' in response ? { $ref: response.$ref } : response,
      ]),
    );
  }
}

/** Serves the document, the Swagger page with its icon, and a way from `/` to it. */
export function setUpDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup(DOCS_PREFIX, app, () => createDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: TITLE,
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
