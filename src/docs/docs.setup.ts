import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { SETTINGS, type Settings } from '../config/settings';
import { DOCS_PREFIX, OPERATIONS_PREFIX } from '../http/paths';
import { describeAccess } from './access-docs';
import { COMMON_RESPONSES, HEADERS, RESPONSES } from './components';
import { DESCRIPTION } from './description';

const TITLE = 'Shipping Query Service';
const VERSION = '1.0.0';

/** The OpenAPI 3.1 document, made from the code of the application. */
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
    .addServer('/', 'The server that serves this document')
    .addTag('Shipping', 'The four queries')
    .addTag('Operation', 'Probes for an orchestrator')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_, method) => method });
  document.components = { ...document.components, headers: { ...HEADERS }, responses: RESPONSES };
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get !== undefined && path.startsWith(OPERATIONS_PREFIX)) {
      get.responses = { ...COMMON_RESPONSES, ...get.responses };
    }
  }
  describeAccess(document, app.get<Settings>(SETTINGS));
  return document;
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
