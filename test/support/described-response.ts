import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The request that a response is of; the target as it stood in the request line. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
}

/** A response as it came; header names in lower case. */
export interface ActualResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Decoded; left out where nobody could decode it. */
  readonly body?: string;
}

interface Reference {
  readonly $ref?: string;
}
interface DocumentedHeader {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, DocumentedHeader & Reference>>;
  readonly content?: Readonly<Record<string, object>>;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedResponse & Reference>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: DocumentedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties?: object; additionalProperties?: boolean }>>;
    readonly headers: Readonly<Record<string, DocumentedHeader>>;
  };
}

/** Says what is wrong with a value, and nothing where it fits. */
type Check = (value: unknown) => string | undefined;

interface DescribedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly isNumber: boolean;
  readonly check: Check;
}
interface DescribedResponse {
  readonly headers: readonly DescribedHeader[];
  /** By media type. */
  readonly bodies: ReadonlyMap<string, Check>;
}
interface DescribedRoute {
  readonly name: string;
  readonly path: RegExp;
  readonly responses: ReadonlyMap<number, DescribedResponse>;
}

const ROOT = 'document';

/** The committed document, with objects closed: in a response, a field that nobody documented is a mistake. */
function readDocument(): Document {
  return closed(JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as Document);
}

/** With nothing allowed beside the properties that are documented. */
function closed(document: Document): Document {
  for (const schema of Object.values(document.components.schemas)) {
    if (schema.properties !== undefined) schema.additionalProperties = false;
  }
  return document;
}

class DescribedResponses {
  private readonly documentedHeaders: readonly string[];
  private readonly ajv: Ajv2020;
  private readonly routes: readonly DescribedRoute[];

  constructor(private readonly document: Document) {
    this.documentedHeaders = Object.keys(document.components.headers);
    // Another spec checks the document itself, and few checks run often enough to pay for optimised code.
    this.ajv = addFormats(
      new Ajv2020({ strict: false, meta: false, validateSchema: false, code: { optimize: false } }),
    );
    this.ajv.addSchema(document, ROOT);
    this.routes = Object.entries(document.paths).map(([path, { get }]) => this.route(path, get));
  }

  /** What is wrong with a response by the document; nothing where its route is not documented. */
  faultsOf({ method, target }: SentRequest, answer: ActualResponse): string[] {
    const route = this.routes.find(({ path }) => path.test(pathOf(target)));
    if (route === undefined || isPreflight(method, answer)) return [];
    const response = route.responses.get(answer.status);
    if (response === undefined) return [`status ${answer.status} of ${route.name} is not documented`];
    if (!isRead(method) && answer.status < 400) return [`${method} is answered ${answer.status}`];
    return [...this.headerFaults(response, answer), ...bodyFaults(method, response, answer)];
  }

  private headerFaults(response: DescribedResponse, { headers }: ActualResponse): string[] {
    const known = new Set(response.headers.map(({ name }) => name));
    const misplaced = this.documentedHeaders.filter(
      (name) => !known.has(name) && headers[name.toLowerCase()] !== undefined,
    );
    const faults = response.headers.flatMap(({ name, required, isNumber, check }) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return required ? [`header ${name} is missing`] : [];
      const text = String(value);
      const typed = isNumber && /^-?\d+$/.test(text) ? Number(text) : text;
      const fault = check(typed);
      return fault === undefined ? [] : [`header ${name}: ${JSON.stringify(text)}${fault}`];
    });
    return [...misplaced.map((name) => `header ${name} is not documented here`), ...faults];
  }

  private route(path: string, { operationId, responses }: DocumentedOperation): DescribedRoute {
    // An identifier that is missing is a response of the same route (D10).
    const pattern = path.replaceAll('/', '\\/').replace(/\\\/\{\w+\}/g, '(?:\\/[^/]*)?');
    const described = Object.entries(responses).map(
      ([status, response]) =>
        [Number(status), this.response(pointer('paths', path, 'get', 'responses', status), response)] as const,
    );
    return { name: operationId, path: new RegExp(`^${pattern}\\/?$`, 'i'), responses: new Map(described) };
  }

  private response(at: string, documented: DocumentedResponse & Reference): DescribedResponse {
    if (documented.$ref !== undefined) return this.response(documented.$ref.slice(1), this.resolve(documented.$ref));
    const { headers = {}, content = {} } = documented;
    return {
      headers: Object.entries(headers).map(([name, header]) =>
        this.header(`${at}${pointer('headers', name)}`, name, header),
      ),
      bodies: new Map(
        Object.keys(content).map((mediaType) => [
          mediaType,
          this.check(`${at}${pointer('content', mediaType, 'schema')}`),
        ]),
      ),
    };
  }

  private header(at: string, name: string, documented: DocumentedHeader & Reference): DescribedHeader {
    if (documented.$ref !== undefined)
      return this.header(documented.$ref.slice(1), name, this.resolve(documented.$ref));
    const { required = false, schema } = documented;
    return { name, required, isNumber: schema.type === 'integer', check: this.check(`${at}/schema`) };
  }

  /** Compiled with its first use: a suite sees few of all responses. */
  private check(at: string): Check {
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= this.ajv.compile({ $ref: `${ROOT}#${at}` });
      if (validate(value)) return undefined;
      return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`).join(', ');
    };
  }

  private resolve($ref: string): DocumentedHeader & DocumentedResponse {
    const keys = $ref.replace(/^#\//, '').split('/');
    return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document) as DocumentedHeader &
      DocumentedResponse;
  }
}

function bodyFaults(
  method: string,
  { bodies }: DescribedResponse,
  { status, headers, body }: ActualResponse,
): string[] {
  if (bodies.size === 0) return (body ?? '') === '' ? [] : [`status ${status} has a body`];
  const [mediaType = ''] = String(headers['content-type']).split(';');
  const check = bodies.get(mediaType.trim().toLowerCase());
  if (check === undefined) return [`media type ${mediaType} of status ${status} is not documented`];
  if (body === undefined) return [];
  if (method === 'HEAD') return body === '' ? [] : ['the answer to HEAD has a body'];
  const value = valueOf(mediaType, body);
  if (value === undefined) return [`the body is no JSON: ${body.slice(0, 100)}`];
  const fault = check(value);
  return fault === undefined ? [] : [`the body ${fault}`];
}

function valueOf(mediaType: string, body: string): unknown {
  if (!mediaType.includes('json')) return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function pointer(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The path of a request target, which may be an absolute URL. */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
  return path;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** A browser's own question, which no document of operations describes. */
const isPreflight = (method: string, { status }: ActualResponse): boolean => method === 'OPTIONS' && status === 204;

let committed: DescribedResponses | undefined;
/** By the origin of the service that serves another document. */
const served = new Map<string, DescribedResponses>();

/** Holds the responses of one service against the document that it serves itself, because its settings add to it. */
export function describeBy(origin: string, document: object): void {
  served.set(origin, new DescribedResponses(closed(document as Document)));
}

/**
 * Holds a response of the service against the document: its status, its media type, its headers and its body. Responses of
 * routes that are not documented pass.
 *
 * @throws naming the request and everything that the document does not describe
 */
export function assertDescribed(request: SentRequest, answer: ActualResponse, origin = ''): void {
  committed ??= new DescribedResponses(readDocument());
  const faults = (served.get(origin) ?? committed).faultsOf(request, answer);
  if (faults.length === 0) return;
  const asked = `${request.method} ${request.target.slice(0, 200)}`;
  throw new Error(
    `openapi.json does not describe the answer to ${asked}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
  );
}
