import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { accessProblems, securitySchemes } from './access/access.docs';
import { MAX_HEADER_BYTES } from './common/bounds';
import { VERSION } from './common/version';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-address';
import { SETTINGS, type Settings } from './config/settings';
import { DEFAULT_ID_PATTERN } from './config/settings.schema';
import { API_PREFIX } from './http/paths';
import { problemResponse, problemsBelow, type Operation } from './openapi/problem-response';
import { RESPONSE_HEADERS } from './shipping/documentation/header-docs';
import { welcomeText } from './shipping/documentation/welcome';

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
  const names = new Set<string>();
  const operationIdFactory = (controller: string, method: string): string => {
    const name = names.has(method) ? `${controller}_${method}` : method;
    names.add(name);
    return name;
  };
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory });
  return withSettings(document, settings, app.get<ExternalSystem>(EXTERNAL_SYSTEM).embedded);
}

function withSettings(document: OpenAPIObject, settings: Settings, hasSandbox: boolean): OpenAPIObject {
  const schemes = securitySchemes(settings.access);
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith(API_PREFIX));
  for (const [template, { get }] of paths) {
    if (get === undefined) continue;
    const path = template.replace(/[{}]/g, '');
    // Nest lists the request headers of a controller before the parameters in path and query.
    const parameters = (get.parameters as Parameter[]).toSorted((one, other) => other.in.localeCompare(one.in));
    get.parameters = [...parameters, ...settings.external.forwardHeaders.map(forwarded)];
    for (const problem of accessProblems(settings, path)) {
      get.responses[problem.problem.status] = problemResponse(problem);
    }
    if (security.length > 0) get.security = security;
    Object.assign(get, adapted(get, path, settings, hasSandbox));
    get.responses = problemsBelow(settings.publicBasePath, get.responses);
  }
  document.info.description = welcomeText(hasSandbox, settings.publicBasePath);
  // Explicit: without authentication no operation requires a credential.
  document.security = [];
  if (security.length > 0) document.components = { ...document.components, securitySchemes: schemes };
  // Probes are on the other port.
  if (settings.managementPort !== undefined) {
    delete document.paths['/health/live'];
    delete document.paths['/health/ready'];
  }
  return document;
}

type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

function forwarded(name: string): Parameter {
  const schema = { type: 'string', maxLength: MAX_HEADER_BYTES };
  return { name, in: 'header', description: 'Sent on to the external system.', schema };
}

/** Examples of parameters, and requests, which are in summaries, too. */
const SENT: ReadonlySet<string> = new Set(['example', 'summary', 'x-request']);

/** Sets the configured pattern of identifiers; without the sandbox, drops what would be sent, and shows any path. */
function adapted(
  { parameters, responses }: Operation,
  path: string,
  { idPattern }: Settings,
  hasSandbox: boolean,
): Pick<Operation, 'parameters' | 'responses'> {
  const isDefault = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$`;
  return JSON.parse(JSON.stringify({ parameters, responses }), (key, value: unknown) => {
    if (key === 'pattern' && value === DEFAULT_ID_PATTERN && !isDefault) return idPattern.source;
    if (hasSandbox) return value;
    if (key === 'instance') return path;
    return SENT.has(key) ? undefined : value;
  }) as Operation;
}
