import type { OpenAPIObject } from '@nestjs/swagger';
import { isRestricted, type AccessSettings } from '../config/access.settings';
import type { Settings } from '../config/settings';
import { API_PREFIX } from '../http/paths';
import { PROBLEM_MEDIA_TYPE } from '../http/problem';
import { PROBLEMS } from '../http/problems';
import type { HeaderObject, Reference, ResponseObject } from '../openapi/components';
import { problemResponse } from '../openapi/responses';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Readonly<Record<string, ResponseObject | Reference>>;
type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

const CHALLENGE: HeaderObject = {
  description: 'The accepted credentials, and why a token was not accepted (RFC 6750).',
  required: true,
  schema: { type: 'string', maxLength: 1024 },
  example: 'Bearer realm="shipping-query-service"',
};

const LIMIT_HEADERS: Readonly<Record<string, HeaderObject>> = {
  RateLimit: {
    description: 'The number of remaining requests (`r`), and the seconds until the limit is reset (`t`).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$', maxLength: 64 },
    example: '"default";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'The number of allowed requests (`q`) in a number of seconds (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$', maxLength: 64 },
    example: '"default";q=100;w=60',
  },
};

function unauthorized(path: string): ResponseObject {
  return problemResponse(
    'No credential (`authentication-required`), or one that is not accepted (`invalid-credentials`).',
    {
      noCredential: { summary: 'No credential', problem: PROBLEMS.authenticationRequired, path },
      notAccepted: { summary: 'A token that has expired', problem: PROBLEMS.expiredToken, path },
    },
    'WWW-Authenticate',
  );
}

function forbidden(path: string): ResponseObject {
  return problemResponse(
    'The bearer token lacks a scope.',
    { insufficientScope: { summary: 'A token without the scope', problem: PROBLEMS.insufficientScope, path } },
    'WWW-Authenticate',
  );
}

function tooManyRequests(path: string): ResponseObject {
  return problemResponse(
    'There were too many requests in this window.',
    { tooMany: { summary: 'Too many requests', problem: PROBLEMS.rateLimitExceeded, path } },
    'Retry-After',
    ...Object.keys(LIMIT_HEADERS),
  );
}

/**
 * Adds the credentials and limits of the settings to the document.
 *
 * @param path of the examples
 */
export function describeAccess(document: OpenAPIObject, { access, rateLimit }: Settings, path: string): void {
  if (isRestricted(access)) describeCredentials(document, access, path);
  if (rateLimit !== undefined) describeLimit(document, path);
}

function describeCredentials(document: OpenAPIObject, { token, apiKeys }: AccessSettings, path: string): void {
  const securitySchemes = schemesOf(token !== undefined, apiKeys.length > 0);
  document.components = { ...document.components, securitySchemes };
  addHeaders(document, { 'WWW-Authenticate': CHALLENGE });
  addResponse(document, '401', 'Unauthorized', unauthorized(path));
  if (token !== undefined) describeUnavailableKeys(document, path);
  if (token !== undefined && token.scopes.length > 0) addResponse(document, '403', 'Forbidden', forbidden(path));
  for (const operation of operationsOf(document)) {
    operation.security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  }
}

function describeUnavailableKeys(document: OpenAPIObject, path: string): void {
  const { ServiceUnavailable: response, ...others } = document.components?.responses ?? {};
  if (response === undefined || '$ref' in response) return;
  // A copy: other documents share the response.
  const description = `${response.description} The keys of the token issuer are unavailable (\`keys-unavailable\`).`;
  const keysUnavailable = { summary: 'The keys are unavailable', problem: PROBLEMS.keysUnavailable, path };
  const content = withExample(response.content, problemResponse(description, { keysUnavailable }).content);
  const responses = { ...others, ServiceUnavailable: { ...response, description, content } };
  document.components = { ...document.components, responses };
}

/** The same content with the examples of another. */
function withExample(content: ResponseObject['content'], other: ResponseObject['content']): ResponseObject['content'] {
  const examples = { ...content?.[PROBLEM_MEDIA_TYPE]?.examples, ...other?.[PROBLEM_MEDIA_TYPE]?.examples };
  return { ...content, [PROBLEM_MEDIA_TYPE]: { ...content?.[PROBLEM_MEDIA_TYPE], examples } };
}

function describeLimit(document: OpenAPIObject, path: string): void {
  addHeaders(document, LIMIT_HEADERS);
  addResponse(document, '429', 'TooManyRequests', tooManyRequests(path));
  document.components = { ...document.components, responses: limited(document.components?.responses ?? {}) };
  for (const operation of operationsOf(document)) {
    operation.responses = limited(operation.responses as Responses);
  }
}

/** The same responses with the headers of the limit; references lead to responses that have them. */
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
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
    }),
  };
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get !== undefined && path.startsWith(API_PREFIX) ? [get] : [],
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
