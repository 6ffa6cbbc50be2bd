import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import {
  PLATFORM_HEADERS,
  type HeaderObject,
  type Reference,
  type ResponseObject,
  type SchemaObject,
} from './components';
import { PROBE_RESPONSES } from './responses';

/** What an API adds to the document besides its routes. */
export interface ApiDocumentation {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Prefix of its routes. */
  readonly prefix: string;
  readonly tag: { readonly name: string; readonly description: string };
  /** Schemas that have no class. */
  readonly schemas: Readonly<Record<string, SchemaObject>>;
  readonly headers: Readonly<Record<string, HeaderObject>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** References to the responses of each of its routes, by status; a route overrides them. */
  readonly routeResponses: Readonly<Record<string, Reference>>;
}

/** Creates the OpenAPI 3.1 document of the routes of an application. */
export function createApiDocument(app: INestApplication, api: ApiDocumentation): OpenAPIObject {
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
  document.components = {
    ...document.components,
    schemas: { ...withoutWrappers(document.components?.schemas), ...api.schemas },
    headers: { ...PLATFORM_HEADERS, ...api.headers },
    responses: { ...api.responses },
  };
  // Explicit: without authentication no operation requires a credential.
  document.security = [];
  addSharedResponses(document, api);
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

function addSharedResponses({ paths }: OpenAPIObject, { prefix, routeResponses }: ApiDocumentation): void {
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    const shared = path.startsWith(prefix) ? routeResponses : PROBE_RESPONSES;
    const responses = Object.entries({ ...shared, ...get.responses });
    // The decorators add an empty description beside a reference, which would replace that of the response.
    get.responses = Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        response !== undefined && '$ref' in response ? { $ref: response.$ref } : response,
      ]),
    );
  }
}
