import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticationRequired } from './access/authentication.guard';
import { VERSION } from './common/version';
import { SETTINGS, type Settings } from './config/settings';
import { PROBLEMS } from './http/problems/problem-definitions';
import { type Operation, type ProblemExample, problemResponse } from './openapi/problem-response';
import headers from './shipping/documentation/headers.json';
import { type DocumentedOperation, requestHeader } from './shipping/documentation/shipping-operation';
import { FILTERS, ShippingProtocol } from './shipping/gateway/protocol/shipping-protocol';
import { UpstreamSystem } from './shipping/gateway/transport/undici-http.service';
import { SORT_KEYS } from './shipping/model/parameter-rules';
import { ShippingController } from './shipping/shipping.controller';

export const TITLE = 'Shipping Query Service';

/**
 * Creates the OpenAPI document of the service. With the default settings it is the file `openapi.json` of the
 * repository.
 */
export function createDocument(app: INestApplication): OpenAPIObject {
  const { publicBasePath } = app.get<Settings>(SETTINGS);
  // The names of these files of Markdown do not end with `.md`, because tools that make container images smaller delete
  // all `.md` files of packages.
  const files = app.get(UpstreamSystem).embedded ? ['welcome.txt', 'sandbox.txt'] : ['welcome.txt'];
  const text = files.map((name) => readFileSync(join(__dirname, 'shipping/documentation', name), 'utf8')).join('');
  const config = {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      description: text.replaceAll('{basePath}', publicBasePath).trim(),
      version: VERSION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    tags: [{ name: 'Shipping', description: 'The queries' }],
    servers: [{ url: publicBasePath, description: 'The server of this document, be it local, test or production' }],
    components: { headers: headers.responses },
  };
  // Generated clients name their functions by these ids. Those of the service are the plain names of its methods, and
  // those of an application that extends it are Nest's, which have the controller and the version, too, because ids
  // have to be unique.
  const operationIdFactory = (controller: string, method: string, version = ''): string =>
    controller === ShippingController.name ? method : [controller, method, version].filter(Boolean).join('_');
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory });
  // The document holds metadata objects of the decorators themselves. `withSettings` changes the document, and would
  // change the metadata for the next document, too, so that it gets a copy.
  const copy = JSON.parse(JSON.stringify(document)) as OpenAPIObject;
  return withSettings(copy, app);
}

/** The extensions that decorators set in an operation; `withSettings` reads them and removes them from the document. */
type Extended = Operation & { 'x-public'?: boolean; 'x-shipping'?: DocumentedOperation };

type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/**
 * Adds the responses, security schemes and parameters that depend on settings. What decorators have declared at a
 * route, such as one that an application adds, stays. Whether a route is public is read from its metadata, not from its
 * path (D72). An operation that the external system does not have is removed.
 */
function withSettings(document: OpenAPIObject, app: INestApplication): OpenAPIObject {
  const settings = app.get<Settings>(SETTINGS);
  const { access, publicBasePath } = settings;
  const { unsupported = {} } = app.get(ShippingProtocol);
  const schemes: SecuritySchemes = {};
  if (access.token !== undefined) schemes.bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
  if (access.apiKeys.length > 0) schemes.apiKey = { type: 'apiKey', in: 'header', name: 'X-API-Key' };
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item) as Extended[]) {
      const { 'x-public': isPublic, 'x-shipping': shipping } = operation;
      delete operation['x-public'];
      delete operation['x-shipping'];
      if (shipping !== undefined) adaptParameters(operation, app);
      for (const each of [...(shipping?.problems ?? []), ...(isPublic ? [] : accessProblems(settings))]) {
        operation.responses[each.problem.status] ??= problemResponse(each, path, publicBasePath);
      }
      if (!isPublic && security.length > 0) operation.security ??= security;
      // A route that an application adds may have `@ApiBearerAuth()`, which refers to the scheme `bearer`. Where the
      // service itself requires no token, the document would refer to nothing.
      const isBearer = operation.security?.some((each) => 'bearer' in each);
      if (isBearer && !('bearer' in schemes)) schemes.bearer = { type: 'http', scheme: 'bearer' };
      if (shipping !== undefined && shipping.upstream in unsupported) Reflect.deleteProperty(document.paths, path);
    }
  }
  // The empty list means that an operation without a list of its own requires no credential. Where it is missing,
  // linters report that nothing is said about credentials.
  document.security = [];
  if (Object.keys(schemes).length > 0) document.components = { ...document.components, securitySchemes: schemes };
  return document;
}

type Examples = Partial<Record<'example' | 'examples', unknown>>;
type DocumentedParameter = Examples & { schema: Examples; readonly name: string; description: string };

/**
 * Adds the forwarded headers, and removes the filters that the protocol does not read (D83). Where there is no sandbox,
 * examples are removed, because they name records of the sandbox (D72).
 */
function adaptParameters(operation: Operation, app: INestApplication): void {
  const { external } = app.get<Settings>(SETTINGS);
  const { embedded: hasSandbox } = app.get(UpstreamSystem);
  const { parameters: applied, sortKeys = SORT_KEYS } = app.get(ShippingProtocol);
  const parameters = (operation.parameters as DocumentedParameter[]).filter(
    ({ name }) => applied === 'all' || FILTERS.every((filter) => filter !== name) || applied.includes(name),
  );
  for (const parameter of parameters) {
    const { schema, examples, name, description } = parameter;
    if (name === 'SortBy') parameter.description = description.replace(SORT_KEYS.join(', '), sortKeys.join(', '));
    if (!hasSandbox) delete schema.example;
    // Nest writes the list beside the schema, where OpenAPI has none.
    if (examples !== undefined && hasSandbox) schema.examples = examples;
    delete parameter.examples;
  }
  const forwarded = external.forwardHeaders.map((name) => requestHeader(name, 'Sent on to the external system.'));
  operation.parameters = [...parameters, ...forwarded] as Operation['parameters'];
}

/** The errors of authentication and rate limiting, as far as the settings switch these on. */
function accessProblems({ access, external, rateLimit }: Settings): ProblemExample[] {
  const { token, apiKeys } = access;
  const problems: ProblemExample[] = [];
  if (token !== undefined || apiKeys.length > 0) problems.push({ problem: authenticationRequired(access) });
  if (token !== undefined && token.scopes.length > 0) problems.push({ problem: PROBLEMS.insufficientScope });
  if (external.forwardClaims.length > 0) problems.push({ problem: PROBLEMS.missingClaim });
  if (rateLimit !== undefined) problems.push({ problem: PROBLEMS.rateLimitExceeded });
  return problems;
}
