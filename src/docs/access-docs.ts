import type { OpenAPIObject } from '@nestjs/swagger';
import { isRestricted, type AccessSettings } from '../config/access-settings';
import type { Settings } from '../config/settings';
import { OPERATIONS_PREFIX } from '../http/paths';
import type { HeaderObject, Reference, ResponseObject } from './components';
import { problem, RESPONSES } from './responses';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Readonly<Record<string, ResponseObject | Reference>>;
type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

const CHALLENGE: HeaderObject = {
  description: 'Which credentials are accepted, and what was wrong with a token (RFC 6750).',
  required: true,
  schema: { type: 'string', maxLength: 1024 },
  example: 'Bearer realm="shipping-query-service"',
};

const LIMIT_HEADERS: Readonly<Record<string, HeaderObject>> = {
  RateLimit: {
    description: 'How many requests are left (`r`), and in how many seconds there are all of them again (`t`).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$', maxLength: 64 },
    example: '"default";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) are granted in how many seconds (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$', maxLength: 64 },
    example: '"default";q=100;w=60',
  },
};

const UNAUTHORIZED = problem(
  'No credential (`authentication-required`), or one that is not accepted (`invalid-credentials`).',
  {
    noCredential: {
      summary: 'No credential',
      kind: {
        status: 401,
        code: 'authentication-required',
        detail: 'This operation wants a credential; see WWW-Authenticate.',
      },
    },
  },
  'WWW-Authenticate',
);
const FORBIDDEN = problem(
  'The bearer token lacks a scope.',
  {
    insufficientScope: {
      summary: 'A token without the scope',
      kind: {
        status: 403,
        code: 'insufficient-scope',
        detail: 'The bearer token lacks a scope that this operation wants.',
      },
    },
  },
  'WWW-Authenticate',
);
const SERVICE_UNAVAILABLE: ResponseObject = {
  ...RESPONSES.ServiceUnavailable,
  description: `${RESPONSES.ServiceUnavailable.description} The keys of the token issuer are out of reach (\`keys-unavailable\`).`,
};
const TOO_MANY_REQUESTS = problem(
  'There were too many requests in this window.',
  {
    tooMany: {
      summary: 'Too many requests',
      kind: {
        status: 429,
        code: 'rate-limit-exceeded',
        detail: 'There were too many requests; see Retry-After.',
      },
    },
  },
  'Retry-After',
  ...Object.keys(LIMIT_HEADERS),
);

/** Adds to the document what the settings have switched on, and takes out what is served elsewhere. */
export function describeAccess(document: OpenAPIObject, { access, rateLimit, management }: Settings): void {
  if (isRestricted(access)) describeCredentials(document, access);
  if (rateLimit !== undefined) describeLimit(document);
  if (management === undefined) return;
  const operations = Object.entries(document.paths).filter(([path]) => path.startsWith(OPERATIONS_PREFIX));
  document.paths = Object.fromEntries(operations);
  document.tags = document.tags?.filter(({ name }) => name !== 'Operation');
}

function describeCredentials(document: OpenAPIObject, { token, apiKeys }: AccessSettings): void {
  const securitySchemes = schemesOf(token !== undefined, apiKeys.length > 0);
  document.components = { ...document.components, securitySchemes };
  addHeaders(document, { 'WWW-Authenticate': CHALLENGE });
  addResponse(document, '401', 'Unauthorized', UNAUTHORIZED);
  if (token !== undefined) addResponse(document, '503', 'ServiceUnavailable', SERVICE_UNAVAILABLE);
  if (token !== undefined && token.scopes.length > 0) addResponse(document, '403', 'Forbidden', FORBIDDEN);
  for (const operation of operationsOf(document)) {
    operation.security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  }
}

function describeLimit(document: OpenAPIObject): void {
  addHeaders(document, LIMIT_HEADERS);
  addResponse(document, '429', 'TooManyRequests', TOO_MANY_REQUESTS);
  document.components = { ...document.components, responses: limited(document.components?.responses ?? {}) };
  for (const operation of operationsOf(document)) {
    operation.responses = limited(operation.responses as Responses);
  }
}

/** The same answers with the headers of the limit; references lead to answers that have them. */
function limited(responses: Responses): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([name, response]) => [name, '$ref' in response ? response : withLimit(response)]),
  );
}

function withLimit(response: ResponseObject): ResponseObject {
  return { ...response, headers: { ...response.headers, ...limitHeaders() } };
}

function schemesOf(tokens: boolean, keys: boolean): SecuritySchemes {
  return {
    ...(tokens && {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'A token of the configured issuer (RFC 6750).',
      },
    }),
    ...(keys && {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key that was handed out.' },
    }),
  };
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get !== undefined && path.startsWith(OPERATIONS_PREFIX) ? [get] : [],
  );
}

function addHeaders(document: OpenAPIObject, added: Readonly<Record<string, HeaderObject>>): void {
  document.components = { ...document.components, headers: { ...document.components?.headers, ...added } };
}

function addResponse(document: OpenAPIObject, status: string, name: string, response: ResponseObject): void {
  document.components = { ...document.components, responses: { ...document.components?.responses, [name]: response } };
  for (const operation of operationsOf(document)) {
    operation.responses = { ...operation.responses, [status]: { $ref: `#/components/responses/${name}` } };
  }
}

function limitHeaders(): Record<string, Reference> {
  return Object.fromEntries(Object.keys(LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
