import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI 3.1 document of the running application. */
export function createDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder().setOpenAPIVersion('3.1.0').setTitle('Shipping Query Service').setVersion('1.0.0').build();
  return SwaggerModule.createDocument(app, config);
}

/** Serves the document, the Swagger UI, and a way from `/` to it. */
export function setUpDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => createDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
  });
}
