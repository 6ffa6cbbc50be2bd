import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeAccess } from './access/access.document';
import { SETTINGS, type Settings } from './config/settings';
import { API_PREFIX } from './http/paths';
import { createApiDocument } from './openapi/document';
import { listProblemCodes } from './openapi/problem-codes';
import { addCodeSamples } from './shipping/documentation/code-samples';
import { configuredDocument } from './shipping/documentation/configured-document';
import { SHIPPING_DOCUMENTATION } from './shipping/documentation/shipping.documentation';

/** Creates the OpenAPI document of the service with its settings. With the default settings it is `openapi.json`. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const settings = app.get<Settings>(SETTINGS);
  const document = createApiDocument(app, SHIPPING_DOCUMENTATION);
  describeAccess(document, settings, `${SHIPPING_DOCUMENTATION.prefix}/GetShippingPagedList`);
  if (settings.management !== undefined) removeProbes(document);
  listProblemCodes(document);
  return addCodeSamples(configuredDocument(document, settings));
}

/** Probes on a port of their own are not served next to this document. */
function removeProbes(document: OpenAPIObject): void {
  const operations = Object.entries(document.paths).filter(([path]) => path.startsWith(API_PREFIX));
  document.paths = Object.fromEntries(operations);
  document.tags = document.tags?.filter(({ name }) => name !== 'Operation');
}
