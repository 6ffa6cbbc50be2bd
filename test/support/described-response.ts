import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { read } from './read';

/** A response as it was received; header names are in lower case. */
interface ActualResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The decoded body; left out where its content coding is unknown. */
  readonly body?: string;
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly responses: Record<string, DescribedResponse> } }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties?: object; additionalProperties?: boolean }>>;
    readonly headers: Readonly<
      Record<string, { readonly required?: boolean; readonly schema: { readonly type: string } }>
    >;
  };
}

const DOCUMENT = JSON.parse(read('openapi.json')) as Document;
// A field of a response that is not documented is a mistake, so that no schema allows more. Problems may have further
// members (RFC 9457), such as those of teams.
for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
  if (schema.properties !== undefined && name !== 'Problem') schema.additionalProperties = false;
}

const ajv = addFormats(new Ajv2020({ strict: false, meta: false, validateSchema: false, code: { optimize: false } }));
// Dates are in UTC with milliseconds (D13); the format of ajv-formats would allow more.
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addSchema(DOCUMENT, 'document');
const checks = new Map<string, ValidateFunction>();

/** The errors of a value by the schema at a place of the document. */
function faults(value: unknown, ...place: readonly string[]): string[] {
  const $ref = `document#${place.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
  const check = checks.get($ref) ?? ajv.compile({ $ref });
  checks.set($ref, check);
  if (check(value)) return [];
  const errors = check.errors ?? [];
  return errors.map(({ instancePath, message = '' }) => `${place.at(-2) ?? ''} ${instancePath} ${message}`);
}

/**
 * Compares a response of the service with the document: its status, media type, headers and body. Responses of routes
 * that are not documented pass.
 *
 * @throws naming the request and everything that the document does not describe
 */
export function assertDescribed(method: string, target: string, response: ActualResponse): void {
  const route = routeOf(target);
  const responses = DOCUMENT.paths[route ?? '']?.get.responses;
  if (route === undefined || responses === undefined || (method === 'OPTIONS' && response.status === 204)) return;
  const named = String(response.status) in responses ? String(response.status) : 'default';
  const described = named === 'default' && response.status < 400 ? undefined : responses[named];
  const place = ['paths', route, 'get', 'responses', named];
  const found =
    described === undefined
      ? ['the status is not documented']
      : [...headerFaults(described, response), ...bodyFaults(method, described, response, place)];
  if (found.length === 0) return;
  const request = `${method} ${target.slice(0, 200)}: ${response.status}`;
  const help = 'After a change of the API, run `npm run generate`.';
  throw new Error(`openapi.json does not describe the response to ${request}\n${found.join('\n')}\n${help}`);
}

/**
 * Compares the body of a complete response with the document.
 *
 * @throws naming everything that the document does not describe
 */
export function assertShape(target: string, body: unknown): void {
  const place = ['paths', routeOf(target) ?? '', 'get', 'responses', '200', 'content', 'application/json', 'schema'];
  const found = faults(body, ...place);
  if (found.length > 0) throw new Error(`openapi.json does not describe ${JSON.stringify(body)}\n${found.join('\n')}`);
}

/** The documented route of a target. A path without its identifier belongs to the same route and is 400 (D10). */
function routeOf(target: string): string | undefined {
  const withoutOrigin = target.replace(/^https?:\/\/[^/]*/i, '');
  const [path = ''] = withoutOrigin.replace(/\/{2,}/g, '/').split('?', 1);
  return Object.keys(DOCUMENT.paths).find((route) =>
    new RegExp(`^${route.replace(/\/\{\w+\}/, '(/[^/]*)?')}/?$`, 'i').test(path),
  );
}

function headerFaults(described: DescribedResponse, { headers }: ActualResponse): string[] {
  return Object.entries(DOCUMENT.components.headers).flatMap(([name, { required = false, schema }]) => {
    const value = headers[name.toLowerCase()];
    const isMissing = required && described.headers?.[name] !== undefined;
    if (value === undefined) return isMissing ? [`header ${name} is missing`] : [];
    return faults(schema.type === 'integer' ? Number(value) : String(value), 'components', 'headers', name, 'schema');
  });
}

function bodyFaults(
  method: string,
  { content }: DescribedResponse,
  { headers, body }: ActualResponse,
  place: readonly string[],
): string[] {
  if (content === undefined || method === 'HEAD') return (body ?? '') === '' ? [] : ['there is a body'];
  const [type = ''] = String(headers['content-type']).split(';');
  if (content[type] === undefined) return [`the media type ${type} is not documented`];
  if (body === undefined) return [];
  return faults(type.includes('json') ? JSON.parse(body) : body, ...place, 'content', type, 'schema');
}
