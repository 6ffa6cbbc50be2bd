import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { accessProblems, securitySchemes } from './access/access.docs';
import type { RouteExtensions } from './common/route-metadata';
import { VERSION } from './common/version';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-address';
import { SETTINGS, type Settings } from './config/settings';
import { DEFAULT_ID_PATTERN } from './config/settings.schema';
import { problemResponse, type Operation } from './openapi/problem-response';
import { requestHeader, RESPONSE_HEADERS } from './shipping/documentation/header-docs';
import { shippingProblems, type ProblemRequests } from './shipping/documentation/shipping-operation';
import { welcomeText } from './shipping/documentation/welcome';

export const TITLE = 'Shipping Query Service';

/** Creates the OpenAPI document of the service; with the default settings it is `openapi.json`. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const settings = app.get<Settings>(SETTINGS);
  const { embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setDescription(welcomeText(embedded, settings.publicBasePath))
    .setVersion(VERSION)
    .setContact(`${TITLE} maintainers`, 'https://example.com/shipping-query-service', 'maintainers@example.com')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(settings.publicBasePath, 'The server of this document, be it local, test or production')
    .addTag('Shipping', 'The queries')
    .addTag('Operation', 'Probes for an orchestrator')
    .build();
  config.components = { headers: RESPONSE_HEADERS };
  const taken = new Set<string>();
  // Generated clients name their functions by these ids: the name of the method, and where it is taken the controller's, too.
  const operationIdFactory = (controller: string, method: string): string => {
    const id = taken.has(method) ? `${controller}_${method}` : method;
    taken.add(id);
    return id;
  };
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory });
  // Documents share the objects of the decorators, so that only a copy may be changed.
  return withSettings(JSON.parse(JSON.stringify(document)) as OpenAPIObject, settings, embedded);
}

/** What decorators have left in an operation. */
type Extensions = RouteExtensions & { readonly 'x-shipping'?: ProblemRequests };

/** Adds what depends on settings; what a team has declared stays, and metadata of the routes decide (D72). */
function withSettings(document: OpenAPIObject, settings: Settings, hasSandbox: boolean): OpenAPIObject {
  const schemes = securitySchemes(settings.access);
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  for (const [template, item] of Object.entries(document.paths)) {
    const path = template.replace(/[{}]/g, '');
    for (const operation of Object.values(item) as (Operation & Extensions)[]) {
      const { 'x-public': isPublic, 'x-fixed-path': fixedPath, 'x-shipping': requests } = operation;
      const problems = isPublic ? [] : accessProblems(settings, path);
      if (requests !== undefined) {
        adaptParameters(operation, settings, hasSandbox);
        problems.push(...shippingProblems(requests, hasSandbox ? template.replace('{id}', '') : undefined));
      }
      for (const problem of problems) {
        operation.responses[problem.problem.status] ??= problemResponse(problem, path, settings.publicBasePath);
      }
      if (!isPublic && security.length > 0) operation.security ??= security;
      // `@ApiBearerAuth()` of a team names this scheme, which has to be there also where the service needs no token.
      const namesBearer = operation.security?.some((each) => 'bearer' in each) === true;
      if (namesBearer && !('bearer' in schemes)) schemes.bearer = { type: 'http', scheme: 'bearer' };
      if (fixedPath !== undefined) {
        Reflect.deleteProperty(document.paths, template);
        // With a management port, probes are not at the server of the document.
        if (settings.managementPort === undefined) document.paths[fixedPath] = item;
      }
      for (const name of ['x-public', 'x-fixed-path', 'x-shipping']) Reflect.deleteProperty(operation, name);
    }
  }
  // An empty list says that no operation requires a credential; linters take a missing one for an oversight.
  document.security = [];
  if (Object.keys(schemes).length > 0) document.components = { ...document.components, securitySchemes: schemes };
  return document;
}

/** Sets the configured pattern of identifiers, and adds the forwarded headers. The page sends examples, which only the sandbox knows. */
function adaptParameters(operation: Operation, { idPattern, external }: Settings, hasSandbox: boolean): void {
  const isDefault = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$`;
  for (const { schema } of operation.parameters as { schema: { pattern?: string; example?: unknown } }[]) {
    if (schema.pattern === DEFAULT_ID_PATTERN && !isDefault) schema.pattern = idPattern.source;
    if (!hasSandbox) delete schema.example;
  }
  const forwarded = external.forwardHeaders.map((name) => requestHeader(name, 'Sent on to the external system.'));
  operation.parameters?.push(...forwarded);
}
