import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { accessDocs } from './access/access.docs';
import { SETTINGS, type Settings } from './config/settings';
import { createApiDocument } from './openapi/api-document';
import { shippingDocs } from './shipping/documentation/shipping.docs';

/** Creates the OpenAPI document of the service with its settings. With the default settings it is `openapi.json`. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const settings = app.get<Settings>(SETTINGS);
  return createApiDocument(app, shippingDocs(settings), accessDocs(settings));
}
