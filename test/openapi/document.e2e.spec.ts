import { type OpenAPIObject } from '@nestjs/swagger';
import { createDocument } from '../../src/app.openapi';
import type { TestingAppOptions } from '../../testing/testing-app';
import { PLAIN_MESSAGES } from '../support/expected';
import { read } from '../support/read';
import { useApps } from '../support/service';

const CHANGED =
  'The code has changed the contract with clients: it makes another document than openapi.json. Mend the code; ' +
  'only where the change is meant, run `npm run generate`.';

type Json = Record<string, unknown>;
interface Schema extends Json {
  readonly $ref?: string;
  readonly allOf?: { readonly $ref: string }[];
}
interface Operation {
  readonly security?: object[];
  readonly parameters: { readonly name: string; in: string; description: string; schema: Schema }[];
  readonly responses: Record<string, { content?: Record<string, Content> }>;
}
interface Content {
  readonly schema: Json;
  readonly examples?: Record<string, { value: unknown }>;
}

const TOKENS = { AUTH_ISSUER: 'https://a.example', AUTH_AUDIENCE: 'a', AUTH_JWKS_URL: 'https://a.example/keys' };
const STATUSES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
const TEXT: Json = { type: 'string' };
const integer = (bounds: Json): Json => ({ type: 'integer', minimum: 1, maximum: 2_147_483_647, ...bounds });
const FILTERS = { OrderId: TEXT, Status: { enum: STATUSES }, FromDate: TEXT, ToDate: TEXT };
/** The parameters of the specification's tables, with their bounds and defaults. */
const SPECIFIED: Record<string, Record<string, Json>> = {
  GetShippingSingle: { Id: TEXT, TrackingNumber: TEXT, ...FILTERS },
  'GetShippingInfoById/{id}': { id: TEXT },
  GetShippingDetails: { SearchTerm: TEXT, ...FILTERS, Limit: integer({}) },
  GetShippingPagedList: {
    PageNumber: integer({ default: 1 }),
    PageSize: integer({ maximum: 100, default: 10 }),
    SearchTerm: TEXT,
    ...FILTERS,
    SortBy: { type: 'string', default: 'CreatedDate' },
    SortDirection: { type: 'string', default: 'desc' },
  },
};

const start = useApps();
async function documentOf(options: TestingAppOptions = { sandbox: true }): Promise<OpenAPIObject> {
  return JSON.parse(JSON.stringify(createDocument(await start(options)))) as OpenAPIObject;
}

function operationsOf({ paths }: OpenAPIObject): [path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    path.startsWith('/api/Shipping/') ? [[path, get as unknown as Operation]] : [],
  );
}

describe('D72 the OpenAPI document', () => {
  let document: OpenAPIObject;
  /** Without the sandbox. */
  let ofRealSystem: OpenAPIObject;
  beforeAll(async () => {
    document = await documentOf();
    ofRealSystem = await documentOf({});
  });

  it('is openapi.json', () => {
    const committed = JSON.parse(read('openapi.json')) as unknown;
    try {
      expect(document).toEqual(committed);
    } catch (error) {
      throw new Error(`${CHANGED}\n${String(error)}`, { cause: error });
    }
  });
  const operation = (name: string): Operation => document.paths[`/api/Shipping/${name}`]?.get as unknown as Operation;
  const resolved = ({ $ref, allOf, ...schema }: Schema): Json => {
    const [reference] = allOf ?? [{ $ref }];
    const name = reference?.$ref?.split('/').at(-1) ?? '';
    return { ...schema, ...(document.components?.schemas?.[name] as Json | undefined) };
  };

  it.each(Object.entries(SPECIFIED))('%s has the specified parameters', (name, specified) => {
    const own = operation(name).parameters.filter((parameter) => parameter.in !== 'header');
    const schemas = Object.fromEntries(own.map(({ name: parameter, schema }) => [parameter, resolved(schema)]));
    expect(Object.keys(schemas).sort()).toEqual(Object.keys(specified).sort());
    expect(schemas).toMatchObject(specified);
    for (const { description } of own) expect(description).toMatch(/\w/);
  });

  it('D72 D88 accepts what the service accepts, without extensions', () => {
    const text = JSON.stringify(document);
    // A longest length, because it counts units of UTF-16, and the service code points of the trimmed text.
    for (const absent of ['"pattern"', '"format":"int64"', '"contact"', '"x-'])
      expect([absent, text.includes(absent)]).toEqual([absent, false]);
    const queried = operationsOf(document).flatMap(([, { parameters }]) =>
      parameters.filter((each) => each.in !== 'header'),
    );
    expect(
      queried.filter(({ schema }) => 'maxLength' in schema || ('format' in schema && schema.type === 'string')),
    ).toEqual([]);
    expect(document.components?.schemas?.ShippingStatus).toMatchObject({
      description: expect.stringMatching(/^The status of a shipment/) as unknown,
    });
  });

  it('D88 the page fills in one field of an operation at most, defaults aside; other examples are placeholders', () => {
    for (const [path, { parameters }] of operationsOf(document)) {
      const filled = parameters.filter(({ schema }) => schema.example !== undefined && schema.default === undefined);
      // All criteria of a single record have to match: what is filled in would contradict what a person types.
      expect([path, filled.length]).toEqual([path, Math.min(filled.length, path.endsWith('Single') ? 0 : 1)]);
      const filters = parameters.filter(({ name }) =>
        ['Id', 'SearchTerm', 'OrderId', 'TrackingNumber', 'Prefer'].includes(name),
      );
      expect(filters.map(({ schema }) => (schema.examples as string[]).length)).toEqual(filters.map(() => 1));
      // The page would show a list beside the field.
      expect(parameters.filter((parameter) => 'examples' in parameter)).toEqual([]);
    }
  });

  it('D72 names the responses that a client should expect, each error with one example', () => {
    for (const [path, { responses }] of [document, ofRealSystem].flatMap(operationsOf)) {
      const isLookup = String(responses[200]?.content?.['application/json']?.schema.$ref).endsWith('/ShippingDetail');
      const shown = Object.entries(responses).map(([status, { content = {} }]) => {
        return [status, ...Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))];
      });
      const expected = [
        ['200', 'complete', 'partial', ...(isLookup ? [] : ['unavailable'])],
        ['304'],
        ['400', 'invalid-parameters'],
        ...(isLookup
          ? [
              ['404', 'shipping-not-found'],
              ['500', 'external-system-failed'],
            ]
          : []),
        ['default'],
      ];
      expect([path, shown]).toEqual([path, expected]);
    }
    const { content } = operation('GetShippingPagedList').responses[400] ?? {};
    expect(content?.['text/plain']?.schema.enum).toEqual(Object.values(PLAIN_MESSAGES));
  });

  it('D72 promises no sandbox beside a real system', () => {
    const words = /sandbox|SHP-|ORD-0|SIMULATE-/i;
    expect(words.test(JSON.stringify(document))).toBe(true);
    expect(words.exec(JSON.stringify(ofRealSystem))).toBeNull();
    // The page sends the examples of parameters.
    const parameters = operationsOf(ofRealSystem).flatMap(([, operation]) => operation.parameters);
    expect(parameters.filter(({ schema }) => 'example' in schema)).toEqual([]);
  });

  it('D16 D25 D76 has what settings decide', async () => {
    const access = { ...TOKENS, AUTH_API_KEYS_SHA256: 'ab'.repeat(32), RATE_LIMIT_MAX: '5' };
    const forwarding = { FORWARD_HEADERS: 'X-Tenant-Id', FORWARD_CLAIMS: 'tenant:X-Tenant' };
    const configured = await documentOf({ env: { ...access, ...forwarding } });
    expect(Object.keys(configured.paths).filter((path) => !path.startsWith('/api/'))).toEqual([]);
    expect(Object.keys(configured.components?.securitySchemes ?? {})).toEqual(['bearer', 'apiKey']);
    for (const [, { parameters, responses, security }] of operationsOf(configured)) {
      expect(security).toEqual([{ bearer: [] }, { apiKey: [] }]);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429']));
      // By the claim; document-examples.e2e.spec.ts has the example of the scope.
      expect(responses['403']?.content?.['application/problem+json']?.examples).toHaveProperty('forbidden');
      expect(parameters.map(({ name }) => name)).toContain('X-Tenant-Id');
    }
    expect(await documentOf()).toEqual(document);
  });
});
