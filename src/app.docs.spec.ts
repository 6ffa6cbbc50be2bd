import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { mappedEmptyRecord, mappedItem, mappedRecord } from '../test/support/upstream/records';
import { createDocument } from './app.docs';
import { createTestingApp } from '../test/support/testing-app';
import { MAX_HEADER_BYTES } from './common/bounds';

type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly examples?: Record<string, { value: unknown }>;
  readonly schema: Json;
}
interface Example {
  readonly 'x-request'?: { target: string };
  readonly value: unknown;
}
interface Response {
  readonly description: string;
  readonly headers: Json;
  readonly content?: Record<string, { schema: Json; examples: Record<string, Example> }>;
}
interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': { source: string }[];
  readonly parameters: Parameter[];
  readonly responses: Record<string, Response>;
}

const STATUSES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
const MAX_INTEGER = 2_147_483_647;
const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const text = (maxLength: number): Json => ({ type: 'string', maxLength });
const integer = (bounds: Json): Json => ({ type: 'integer', ...bounds });
const DATE: Json = { type: 'string', pattern: expect.stringMatching(/^\^\\d\{4\}-/) };
const FILTERS = { OrderId: text(64), Status: { enum: STATUSES }, FromDate: DATE, ToDate: DATE };

/** The parameters of the specification's tables, with their bounds and defaults. */
const SPECIFIED: Record<string, Record<string, Json>> = {
  GetShippingSingle: { Id: { pattern: ID_PATTERN }, TrackingNumber: text(64), ...FILTERS },
  'GetShippingInfoById/{id}': { id: { pattern: ID_PATTERN } },
  GetShippingDetails: { SearchTerm: text(200), ...FILTERS, Limit: integer({ minimum: 1, maximum: MAX_INTEGER }) },
  GetShippingPagedList: {
    PageNumber: integer({ minimum: 1, maximum: MAX_INTEGER, default: 1 }),
    PageSize: integer({ minimum: 1, maximum: 100, default: 10 }),
    SearchTerm: text(200),
    ...FILTERS,
    SortBy: { type: 'string', default: 'CreatedDate' },
    SortDirection: { type: 'string', default: 'desc' },
  },
};

describe('the OpenAPI document', () => {
  let app: NestFastifyApplication;
  let document: OpenAPIObject;
  let ajv: Ajv2020;

  beforeAll(async () => {
    app = await createTestingApp();
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    document = JSON.parse(JSON.stringify(createDocument(app))) as OpenAPIObject;
    ajv = addFormats(new Ajv2020({ strict: false })).addSchema(document, 'document');
  });
  afterAll(() => app.close());

  /** What a schema of the document says against a value. */
  function breaches(schema: Json, value: unknown, at: string): string[] {
    const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Json;
    return ajv.validate(own, value) ? [] : [`${at}: ${ajv.errorsText()}`];
  }

  const resolved = (schema: Json): Json => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : (document.components?.schemas?.[name] as Json);
  };

  const operations = (): [path: string, operation: Operation][] =>
    Object.entries(document.paths).map(([path, { get }]) => [path, get as unknown as Operation]);
  const ofApi = (): [path: string, operation: Operation][] => operations().filter(([path]) => path.startsWith('/api/'));
  const operation = (name: string): Operation => document.paths[`/api/Shipping/${name}`]?.get as unknown as Operation;

  it('is OpenAPI 3.1 with the information of the service', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(document.info.description).toContain('SIMULATE-ODD-RECORD');
  });

  it('holds the operations and the probes, read-only, each with a name of its own', () => {
    const specified = Object.keys(SPECIFIED).map((name) => `/api/Shipping/${name}`);
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(expect.arrayContaining([...specified, '/health/live', '/health/ready']));
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path))).toEqual(paths.map(() => 'get'));
    expect(new Set(operations().map(([, { operationId }]) => operationId)).size).toBe(paths.length);
  });

  it.each(Object.entries(SPECIFIED))('%s has every parameter of the specification, and no other', (name, specified) => {
    const own = operation(name).parameters.filter((parameter) => parameter.in !== 'header');
    const schemas = Object.fromEntries(own.map(({ name: parameter, schema }) => [parameter, resolved(schema)]));
    expect(Object.keys(schemas).sort()).toEqual(Object.keys(specified).sort());
    expect(schemas).toMatchObject(specified);
  });

  it('D6 allows a date as well as a date-time', () => {
    const schemas = ofApi().flatMap(([, { parameters }]) =>
      parameters.filter(({ name }) => name.endsWith('Date')).map(({ schema }) => schema),
    );
    const valid = ['2026-01-01', '2026-01-01T00:00', '2026-01-01T00:00:00.123456789Z', '2026-01-01T00:00:00+02:00'];
    const invalid = ['20260101', '2026-W01', '2026', '2026-01-01T00', '2026-01-01t00:00z', '2026-01-01T00:00:00 02:00'];
    for (const schema of schemas) {
      expect(valid.flatMap((date) => breaches(schema, date, date))).toEqual([]);
      expect(invalid.flatMap((date) => breaches(schema, date, date))).toHaveLength(invalid.length);
    }
  });

  it('D21 D22 D24 describes each parameter, and takes the headers of the contract', () => {
    for (const [path, { parameters }] of ofApi()) {
      const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      expect([path, headers]).toEqual([path, ['Prefer', 'If-None-Match', 'X-Request-Id', 'traceparent']]);
      for (const { name, in: place, required = false, description } of parameters) {
        expect([name, required]).toEqual([name, place === 'path']);
        expect(description).toMatch(/\w/);
      }
    }
  });

  it('shows examples that their schemas allow, of parameters, headers and bodies', () => {
    const found = operations().flatMap(([path, { parameters = [], responses }]) => [
      ...parameters.flatMap(({ name, schema }) =>
        schema.example === undefined ? [] : breaches(schema, schema.example, `${path} ${name}`),
      ),
      ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema, examples }) =>
          Object.values(examples).flatMap(({ value }) => breaches(schema, value, `${path} ${status}`)),
        ),
      ),
    ]);
    const headers = Object.entries(document.components?.headers ?? {}) as unknown as [
      name: string,
      header: { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> },
    ][];
    const shown = headers.flatMap(([name, { schema, example, examples = { only: { value: example } } }]) =>
      Object.values(examples).flatMap(({ value }) => breaches(schema, value, name)),
    );
    expect([...found, ...shown]).toEqual([]);
  });

  it('documents every status with examples, and problems with that status', () => {
    for (const [path, { responses }] of ofApi()) {
      const statuses = Object.keys(responses);
      expect(statuses).toEqual(expect.arrayContaining(['200', '304', '400', '500', '502', '503', '504']));
      expect([path, statuses.includes('404')]).toEqual([path, !JSON.stringify(responses[200]).includes('unavailable')]);
      for (const [status, { content, description, headers }] of Object.entries(responses)) {
        expect(description).toMatch(/\w/);
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-Request-Id', 'Cache-Control', 'Vary']));
        const problems = content?.['application/problem+json']?.examples;
        expect([path, status, problems === undefined]).toEqual([path, status, Number(status) < 400]);
        for (const { value } of Object.values(problems ?? {})) {
          expect(value).toMatchObject({ status: Number(status), code: expect.any(String) });
        }
      }
      expect(Object.keys(responses[200]?.headers ?? {})).toEqual(
        expect.arrayContaining(['Shipping-Completeness', 'ETag']),
      );
      expect(responses[503]?.headers).toHaveProperty('Retry-After');
    }
    expect(operation('GetShippingPagedList').responses[200]?.headers).toHaveProperty('Link');
  });

  it('D4 shows both plain messages of the paged list', () => {
    const plain = operation('GetShippingPagedList').responses[400]?.content?.['text/plain'];
    expect(resolved(plain?.schema ?? {}).enum).toEqual([
      'Page number must be greater than 0',
      'Page size must be between 1 and 100',
    ]);
  });

  it('D8 shows the known values of the sort parameters, the default first, and closes neither', () => {
    const known = { SortBy: ['CreatedDate', 'Status', 'TrackingNumber'], SortDirection: ['desc', 'asc'] };
    for (const [name, values] of Object.entries(known)) {
      const parameter = operation('GetShippingPagedList').parameters.find((one) => one.name === name);
      expect(Object.values(parameter?.examples ?? {}).map(({ value }) => value)).toEqual(values);
      expect([parameter?.schema.enum, parameter?.schema.default]).toEqual([undefined, values[0]]);
    }
  });

  it('has code samples of the request of the complete example', () => {
    for (const [path, { operationId, responses, 'x-codeSamples': samples }] of ofApi()) {
      const { target } = responses[200]?.content?.['application/json']?.examples.complete?.['x-request'] ?? {};
      const [curl, fetch, client] = samples.map(({ source }) => source);
      expect([path, curl]).toEqual([path, `curl -i 'http://localhost:3000${target}'`]);
      expect(fetch).toContain(`await fetch('http://localhost:3000${target}')`);
      const [, value = ''] = /[/?]([^/?]+)$/.exec(target ?? '') ?? [];
      const [, name, given = ''] = /^(\w+)=(.*)$/.exec(value) ?? [];
      const argument = name === undefined ? `'${value}'` : `{ ${name}: ${/^\d+$/.test(given) ? given : `'${given}'`} }`;
      expect(client).toContain(`await client.${operationId}(${argument});`);
    }
  });

  it('bounds no list or text so loosely that a mock of it is huge, and has no pattern that nobody can read', () => {
    const json = JSON.stringify(document.components?.schemas) + JSON.stringify(document.paths);
    const bounds = [...json.matchAll(/"max(?:Items|Length)":(\d+)/g)].map(([, bound]) => Number(bound));
    expect(bounds.length).toBeGreaterThan(0);
    expect(Math.max(...bounds)).toBeLessThanOrEqual(MAX_HEADER_BYTES);
    const patterns = [...json.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern = '']) => pattern.length);
    expect(Math.max(...patterns)).toBeLessThanOrEqual(100);
  });

  it('D13 documents exactly the fields of each shape, all of them always present', () => {
    const shapes: Record<string, object> = {
      ShippingLookupItem: mappedRecord({ body: 'list' }),
      ShippingListItem: mappedRecord({ body: 'page' }),
      ShippingDetail: mappedRecord({ body: 'record' }),
      ShippingItem: mappedItem(),
    };
    const schemas = document.components?.schemas as Record<
      string,
      { properties: Record<string, Json>; required: string[] }
    >;
    for (const [name, shape] of Object.entries(shapes)) {
      const fields = Object.keys(shape).sort();
      expect([name, Object.keys(schemas[name]?.properties ?? {}).sort()]).toEqual([name, fields]);
      expect([name, schemas[name]?.required.toSorted()]).toEqual([name, fields]);
    }
    const nullable = Object.entries(schemas.ShippingDetail?.properties ?? {}).filter(([, { type }]) => [type].flat().includes('null')); // prettier-ignore
    const absent = Object.entries(mappedEmptyRecord({ body: 'record' })).filter(([, value]) => value === null);
    expect(nullable.map(([field]) => field).sort()).toEqual(absent.map(([field]) => field).sort());
  });
});
