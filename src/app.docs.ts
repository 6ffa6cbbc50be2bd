import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { accessProblems, securitySchemes } from './access/access.docs';
import { MAX_HEADER_BYTES } from './common/bounds';
import { fixedPathOf, isPublicRoute } from './common/route-metadata';
import { VERSION } from './common/version';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-address';
import { SETTINGS, type Settings } from './config/settings';
import { DEFAULT_ID_PATTERN } from './config/settings.schema';
import { OperationHandlers } from './openapi/operation-handlers';
import {
  problemResponse,
  problemsBelow,
  type Example,
  type Operation,
  type ResponseObject,
} from './openapi/problem-response';
import { RESPONSE_HEADERS } from './shipping/documentation/header-docs';
import { welcomeText } from './shipping/documentation/welcome';
import { ShippingController } from './shipping/shipping.controller';

export const TITLE = 'Shipping Query Service';

/** Creates the OpenAPI document of the service; with the default settings it is `openapi.json`. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const settings = app.get<Settings>(SETTINGS);
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setVersion(VERSION)
    .setContact(`${TITLE} maintainers`, 'https://example.com/shipping-query-service', 'maintainers@example.com')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(settings.publicBasePath, 'The server of this document, be it local, test or production')
    .addTag('Shipping', 'The queries')
    .addTag('Operation', 'Probes for an orchestrator')
    .build();
  config.components = { headers: RESPONSE_HEADERS };
  const handlers = new OperationHandlers(app);
  const { operationIdFactory } = handlers;
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory });
  const { embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
  document.info.description = welcomeText(embedded, settings.publicBasePath);
  return withSettings(document, handlers, settings, embedded);
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

/** Adds what depends on settings; what a team has declared stays, and metadata of the routes decide. */
function withSettings(
  document: OpenAPIObject,
  handlers: OperationHandlers,
  settings: Settings,
  hasSandbox: boolean,
): OpenAPIObject {
  const schemes = securitySchemes(settings.access);
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  for (const [template, item] of Object.entries(document.paths)) {
    const path = template.replace(/[{}]/g, '');
    for (const operation of METHODS.flatMap((method) => item[method] ?? [])) {
      const route = handlers.find(operation.operationId);
      const fixedPath = fixedPathOf(route?.handler);
      if (fixedPath !== undefined) movePath(document, template, settings.managementPort === undefined && fixedPath);
      if (route === undefined || !isPublicRoute(route.handler, route.controller)) {
        if (security.length > 0) operation.security ??= security;
        for (const problem of accessProblems(settings, path)) {
          operation.responses[problem.problem.status] ??= problemResponse(problem);
        }
      }
      if (route?.controller === ShippingController) {
        adaptOwnOperation(operation, path, settings, hasSandbox);
      }
    }
  }
  // Explicit: without authentication no operation requires a credential.
  document.security = [];
  nameSchemes(document, schemes);
  return document;
}

/** Probes keep their path whatever prefix the application sets; with a management port they are not here. */
function movePath(document: OpenAPIObject, from: string, to: string | false): void {
  if (from === to) return;
  const item = document.paths[from];
  Reflect.deleteProperty(document.paths, from);
  if (to !== false && item !== undefined) document.paths[to] = item;
}

/** `@ApiBearerAuth()` of a team names a scheme, which has to be there also where the service needs no token. */
function nameSchemes(document: OpenAPIObject, schemes: ReturnType<typeof securitySchemes>): void {
  const operations = Object.values(document.paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
  const isBearerNamed = operations.some(({ security = [] }) => security.some((each) => 'bearer' in each));
  const named = { ...(isBearerNamed && { bearer: { type: 'http' as const, scheme: 'bearer' } }), ...schemes };
  if (Object.keys(named).length === 0) return;
  document.components = {
    ...document.components,
    securitySchemes: { ...named, ...document.components?.securitySchemes },
  };
}

/** Adds the forwarded headers and the configured pattern of identifiers to an operation of the service. */
function adaptOwnOperation(operation: Operation, path: string, settings: Settings, hasSandbox: boolean): void {
  const { idPattern, external, publicBasePath } = settings;
  // Nest lists the request headers of a controller before the parameters in path and query.
  const parameters = structuredClone(operation.parameters as Parameter[]);
  parameters.sort((one, other) => other.in.localeCompare(one.in));
  const isDefault = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$`;
  for (const { schema } of parameters) {
    if (schema !== undefined && 'pattern' in schema && schema.pattern === DEFAULT_ID_PATTERN && !isDefault) {
      schema.pattern = idPattern.source;
    }
  }
  operation.parameters = [...parameters, ...external.forwardHeaders.map(forwarded)];
  operation.responses = problemsBelow(publicBasePath, operation.responses);
  if (!hasSandbox) dropRequests(operation, publicBasePath + path);
}

/** Without the sandbox, no request of an example finds what it shows: drops the requests, and shows any path. */
function dropRequests(operation: Operation, path: string): void {
  for (const parameter of operation.parameters as Parameter[]) {
    delete parameter.example;
    delete (parameter.schema as { example?: unknown } | undefined)?.example;
  }
  for (const response of Object.values(operation.responses) as ResponseObject[]) {
    for (const { examples = {} } of Object.values(response.content ?? {})) {
      for (const example of Object.values(examples) as Partial<Writable<Example>>[]) {
        delete example.summary;
        delete example['x-request'];
        if (isProblem(example.value)) example.value.instance = path;
      }
    }
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function isProblem(value: unknown): value is { instance: string } {
  return typeof value === 'object' && value !== null && 'instance' in value;
}

type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

function forwarded(name: string): Parameter {
  const schema = { type: 'string', maxLength: MAX_HEADER_BYTES };
  return { name, in: 'header', description: 'Sent on to the external system.', schema };
}
