import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { SETTINGS, type Settings } from '../config/settings';
import { API_PREFIX } from '../http/paths';
import { COMMON_HEADERS, headerReferences, PLATFORM_HEADERS, type HeaderObject, type SchemaObject } from './components';
import { problemResponses, RouteDocs, routeProblems, type Operation, type ProblemDocs, type Route } from './route-docs';

type RouteDocumentation = NonNullable<Parameters<typeof RouteDocs>[0]>;
type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** What an API adds to the document besides its routes. */
export interface ApiDocs {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly tag: { readonly name: string; readonly description: string };
  /** Schemas that have no class. */
  readonly schemas: Readonly<Record<string, SchemaObject>>;
  readonly headers: Readonly<Record<string, HeaderObject>>;
}

/** What authentication and rate limiting add to the routes of APIs. */
export interface AccessDocs {
  readonly securitySchemes?: SecuritySchemes;
  readonly headers: Readonly<Record<string, HeaderObject>>;
  /** Headers that every response has. */
  readonly everyResponse: readonly string[];
  /** @param target a request that the route accepts */
  problems(target: string): readonly ProblemDocs[];
}

/** Creates the OpenAPI 3.1 document of the routes of an application with its settings. */
export function createApiDocument(app: INestApplication, api: ApiDocs, access: AccessDocs): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(api.title)
    .setVersion(api.version)
    .setDescription(api.description)
    .setContact(
      'Shipping Query Service maintainers',
      'https://example.com/shipping-query-service',
      'maintainers@example.com',
    )
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'The server of this document, be it local, test or production', undefined, {
      'x-internal': false,
    })
    .addTag(api.tag.name, api.tag.description)
    .addTag('Operation', 'Probes for an orchestrator')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_, method) => method });
  document.paths = withoutWrappers(document.paths);
  const schemas = { ...withoutWrappers(document.components?.schemas), ...api.schemas } as Record<string, SchemaObject>;
  document.components = {
    schemas,
    headers: { ...PLATFORM_HEADERS, ...api.headers, ...access.headers },
    ...(access.securitySchemes !== undefined && { securitySchemes: access.securitySchemes }),
  };
  // Explicit: without authentication no operation requires a credential.
  document.security = [];
  const settings = app.get<Settings>(SETTINGS);
  if (settings.managementPort !== undefined) removeProbes(document);
  const docs = documentedRoutes(app.get(DiscoveryService, { strict: false }));
  const codes = describeRoutes(docs, document, settings, access);
  Object.assign(schemas.Problem?.properties?.code ?? {}, { 'x-extensible-enum': codes });
  return document;
}

/** Turns `allOf` with a single reference into that reference, beside which OpenAPI 3.1 allows a description. */
function withoutWrappers<Value>(schemas: Value): Value {
  return JSON.parse(JSON.stringify(schemas), (_, value: { allOf?: unknown[] } | null) => {
    if (!Array.isArray(value?.allOf) || value.allOf.length !== 1) return value;
    const { allOf: [reference], ...others } = value; // prettier-ignore
    return { ...(reference as object), ...others };
  }) as Value;
}

/** Probes on a port of their own are not served next to this document. */
function removeProbes(document: OpenAPIObject): void {
  const operations = Object.entries(document.paths).filter(([path]) => path.startsWith(API_PREFIX));
  document.paths = Object.fromEntries(operations);
  document.tags = document.tags?.filter(({ name }) => name !== 'Operation');
}

/** Completes the documentation of each route; returns the codes of all problems. */
function describeRoutes(
  docs: ReadonlyMap<string, RouteDocumentation>,
  { paths }: OpenAPIObject,
  settings: Settings,
  access: AccessDocs,
): string[] {
  const codes = new Set<string>();
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    const { operationId = '', parameters = [] } = get;
    const isApi = path.startsWith(API_PREFIX);
    const described = docs.get(operationId)?.({ operationId, path, parameters, settings });
    const { responses = get.responses, problems = [], ...members } = described ?? {};
    const target = exampleTarget(path, parameters);
    const all = [...problems, ...(isApi ? access.problems(target) : []), ...routeProblems(target, isApi)];
    const own = [...new Set(all.map(({ problem }) => problem.code))].sort();
    Object.assign(get, members, {
      responses: withHeaders({ ...problemResponses(path, all), ...responses }, isApi ? access.everyResponse : []),
      'x-problem-codes': own,
      ...(isApi && access.securitySchemes !== undefined && { security: alternatives(access.securitySchemes) }),
    });
    for (const code of own) codes.add(code);
  }
  return [...codes].sort();
}

/** The documentation of routes by operation id, the name of the method. */
function documentedRoutes(discovery: DiscoveryService): ReadonlyMap<string, RouteDocumentation> {
  const found = new Map<string, RouteDocumentation>();
  for (const controller of discovery.getControllers()) {
    for (const method of new MetadataScanner().getAllMethodNames(controller.instance as object)) {
      const docs = discovery.getMetadataByDecorator(RouteDocs, controller, method);
      if (docs !== undefined) found.set(method, docs);
    }
  }
  return found;
}

/** A path with the examples of its parameters. */
function exampleTarget(path: string, parameters: Route['parameters']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((known) => 'name' in known && known.name === name);
    const schema = parameter !== undefined && 'schema' in parameter ? (parameter.schema as SchemaObject) : undefined;
    return (schema?.example as string | undefined) ?? name;
  });
}

/** Adds the headers of every response. */
function withHeaders(responses: Operation['responses'], names: readonly string[]): Operation['responses'] {
  const every = headerReferences([...COMMON_HEADERS, ...names]);
  const all = Object.entries(responses).map(([status, response]) => {
    const isOwn = response !== undefined && !('$ref' in response);
    return [status, isOwn ? { ...response, headers: { ...every, ...response.headers } } : response] as const;
  });
  return Object.fromEntries(all);
}

function alternatives(securitySchemes: SecuritySchemes): Operation['security'] {
  return Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
}
