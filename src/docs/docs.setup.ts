import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS, type Settings } from '../config/settings';
import { DOCS_PREFIX, OPERATIONS_PREFIX } from '../http/paths';
import { HEADERS } from './components';
import { configuredDocument } from './configured-document';
import { DESCRIPTION } from './description';
import { OPERATION_RESPONSES, PROBE_RESPONSES, RESPONSES } from './responses';

const TITLE = 'Shipping Query Service';
const { version: VERSION } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  version: string;
};

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
  return configuredDocument(document, app.get<Settings>(SETTINGS));
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

/** Serves the document, the Swagger UI, and a way from `/` to it. */
export function setUpDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup(DOCS_PREFIX, app, () => createDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: TITLE,
    swaggerOptions: { tryItOutEnabled: true, displayRequestDuration: true, docExpansion: 'list', validatorUrl: null },
  });
  app
    .getHttpAdapter()
    .getInstance()
    .get('/', (_, reply) => reply.redirect(DOCS_PREFIX, 302));
}
