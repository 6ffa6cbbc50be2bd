import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { pino } from 'pino';
import { createDocument } from './app.document';
import { createApp } from './app.setup';
import { MAX_HEADER_BYTES } from './common/bounds';
import { readSettings } from './config/settings';
import { mappedEmptyRecord, mappedItem, mappedRecord } from '../test/support/upstream/records';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  allOf?: Schema[];
  oneOf?: Schema[];
}
interface Content {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  schema: Schema;
}
interface OperationObject {
  operationId: string;
  parameters: Parameter[];
  responses: Record<string, Answer>;
}

const STATUSES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
const MAX_INTEGER = 2_147_483_647;
const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const TEXT = (maxLength: number): Schema => ({ type: 'string', maxLength });
const DATE: Schema = { type: 'string', format: 'date-time' };
const FILTERS: Record<string, Schema> = { OrderId: TEXT(64), Status: { enum: STATUSES }, FromDate: DATE, ToDate: DATE };
const INTEGER = (bounds: Schema): Schema => ({ type: 'integer', ...bounds });

/** The parameters of the specification's tables, with their bounds and defaults. */
const PARAMETERS: Record<string, Record<string, Schema>> = {
  GetShippingSingle: { Id: { pattern: ID_PATTERN }, TrackingNumber: TEXT(64), ...FILTERS },
  'GetShippingInfoById/{id}': { id: { pattern: ID_PATTERN } },
  GetShippingDetails: {
    SearchTerm: TEXT(200),
    ...FILTERS,
    Limit: INTEGER({ minimum: 1, maximum: MAX_INTEGER }),
  },
  GetShippingPagedList: {
    PageNumber: INTEGER({ minimum: 1, maximum: MAX_INTEGER, default: 1 }),
    PageSize: INTEGER({ minimum: 1, maximum: 100, default: 10 }),
    SearchTerm: TEXT(200),
    ...FILTERS,
    SortBy: { type: 'string', default: 'CreatedDate' },
    SortDirection: { type: 'string', default: 'desc' },
  },
};
const OPERATIONS = Object.keys(PARAMETERS);

describe('the OpenAPI document', () => {
  let app: NestFastifyApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' });
    app = await createApp(settings, pino({ level: 'silent' }));
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    document = createDocument(app);
  });
  afterAll(() => app.close());

  /** What a reference means, or the object itself where it is none. */
  function resolved<T extends { $ref?: string }>(object: T): T {
    if (object.$ref === undefined) return object;
    const path = object.$ref.replace(/^#\//, '').split('/');
    const target = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    if (target === undefined) throw new Error(`${object.$ref} leads nowhere`);
    return resolved(target as T);
  }

  function operation(name: string): OperationObject {
    const { get } = document.paths[`/api/Shipping/${name}`] ?? {};
    if (get === undefined) throw new Error(`${name} is not documented`);
    return get as unknown as OperationObject;
  }

  /** The answers of an operation that have a body. */
  function answers(name: string): [status: string, answer: Answer][] {
    const all = Object.entries(operation(name).responses).filter(([status]) => status !== '304');
    return all.map(([status, answer]) => [status, resolved(answer)]);
  }

  /** The parts of a value that its schema does not allow. */
  function breaches(schema: Schema, value: unknown, at = '$'): string[] {
    const plain = resolved(schema);
    const { type, enum: allowed, pattern, minimum = -Infinity, maximum = Infinity, maxLength = Infinity } = plain;
    const found = (plain.allOf ?? []).flatMap((part) => breaches(part, value, at));
    if (plain.oneOf?.every((part) => breaches(part, value, at).length > 0) === true) found.push(`${at} oneOf`);
    if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) found.push(`${at} type`);
    if (allowed !== undefined && !allowed.includes(value)) found.push(`${at} enum`);
    if (typeof value === 'number' && !(value >= minimum && value <= maximum)) found.push(`${at} bounds`);
    if (typeof value === 'string' && value.length > maxLength) found.push(`${at} maxLength`);
    if (typeof value === 'string' && !new RegExp(pattern ?? '').test(value)) found.push(`${at} pattern`);
    if (Array.isArray(value) && plain.items !== undefined) {
      const { items } = plain;
      return [...found, ...value.flatMap((item, index) => breaches(items, item, `${at}[${index}]`))];
    }
    return [...found, ...memberBreaches(plain, value, at)];
  }

  function memberBreaches({ properties, required = [] }: Schema, value: unknown, at: string): string[] {
    if (properties === undefined || typeof value !== 'object' || value === null) return [];
    const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
    const inner = Object.entries(value).flatMap(([name, member]) =>
      properties[name] === undefined ? [`${at}.${name} is not documented`] : breaches(properties[name], member, `${at}.${name}`),
    ); // prettier-ignore
    return [...missing, ...inner];
  }

  it('is OpenAPI 3.1 with the information of the service', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(document.info.description).toContain('SIMULATE-ODD-RECORD');
  });

  it('holds the four operations and the probes, read-only, each with a name of its own', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([...OPERATIONS.map((name) => `/api/Shipping/${name}`), '/health/live', '/health/ready']),
    );
    const all = Object.values(document.paths);
    expect(all.flatMap((path) => Object.keys(path))).toEqual(all.map(() => 'get'));
    expect(new Set(all.map(({ get }) => get?.operationId)).size).toBe(all.length);
  });

  describe.each(OPERATIONS)('%s', (name) => {
    it('documents every parameter of the specification with its bounds and default, and no other', () => {
      const own = operation(name).parameters.filter((parameter) => parameter.in !== 'header');
      const schemas = Object.fromEntries(own.map((parameter) => [parameter.name, resolved(parameter.schema)]));
      expect(Object.keys(schemas).sort()).toEqual(Object.keys(PARAMETERS[name] ?? {}).sort());
      expect(schemas).toMatchObject(PARAMETERS[name] ?? {});
      for (const { name: parameter, required = false, in: place, description } of own) {
        expect([parameter, required, place]).toEqual([parameter, parameter === 'id', parameter === 'id' ? 'path' : 'query']); // prettier-ignore
        expect(description).toMatch(/\w/);
      }
    });

    it('shows examples of its parameters that they allow', () => {
      const shown = operation(name).parameters.filter(({ example }) => example !== undefined);
      expect(shown.flatMap(({ name: parameter, schema, example }) => breaches(schema, example, parameter))).toEqual([]);
    });

    it('D21 D22 D24 takes the headers of the contract', () => {
      const headers = operation(name).parameters.filter((parameter) => parameter.in === 'header');
      expect(headers.map((header) => header.name).sort()).toEqual([
        'If-None-Match',
        'Prefer',
        'X-Request-Id',
        'traceparent',
      ]);
    });

    it('documents every status, each with a schema and examples', () => {
      const single = name.startsWith('GetShippingSingle') || name.startsWith('GetShippingInfoById');
      const statuses = answers(name).map(([status]) => status);
      expect(statuses).toEqual(expect.arrayContaining(['200', '400', '500', '502', '503', '504']));
      expect(statuses.includes('404')).toBe(single);
      for (const [, { content = {}, description }] of answers(name)) {
        expect(description).toMatch(/\w/);
        expect(Object.keys(content).length).toBeGreaterThan(0);
        for (const { schema, examples = {} } of Object.values(content)) {
          expect(Object.keys(resolved(schema)).length).toBeGreaterThan(0);
          expect(Object.keys(examples).length).toBeGreaterThan(0);
        }
      }
    });

    it('shows examples that their schemas allow', () => {
      const found = answers(name).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema, examples = {} }) =>
          Object.entries(examples).flatMap(([key, { value }]) => breaches(schema, value, `${status} ${key}`)),
        ),
      );
      expect(found).toEqual([]);
    });

    it('D15 shows problems that say the status they stand for', () => {
      for (const [status, { content = {} }] of answers(name)) {
        const problem = content['application/problem+json'];
        expect([status, problem === undefined]).toEqual([status, status === '200']);
        for (const { value } of Object.values(problem?.examples ?? {})) {
          expect(value).toMatchObject({ status: Number(status), code: expect.any(String) });
        }
      }
    });

    it('D20 D22 documents the headers of its answers', () => {
      for (const [status, { headers = {} }] of answers(name)) {
        const wanted = ['X-Request-Id', 'Cache-Control', 'Vary'];
        if (status === '200') wanted.push('Shipping-Completeness', 'ETag');
        if (status === '200' && name === 'GetShippingPagedList') wanted.push('Link');
        if (status === '503') wanted.push('Retry-After');
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(wanted));
      }
    });

    it('D24 documents that nothing may have changed', () => {
      expect(Object.keys(operation(name).responses)).toContain('304');
    });
  });

  it('D4 shows both plain messages of the paged list', () => {
    const [, bad] = answers('GetShippingPagedList').find(([status]) => status === '400') ?? [];
    expect(resolved(bad?.content?.['text/plain']?.schema ?? {}).enum).toEqual([
      'Page number must be greater than 0',
      'Page size must be between 1 and 100',
    ]);
  });

  it('D8 shows the known values of the sort parameters, the default first, and closes neither', () => {
    const known = { SortBy: ['CreatedDate', 'Status', 'TrackingNumber'], SortDirection: ['desc', 'asc'] };
    for (const [name, values] of Object.entries(known)) {
      const { schema, examples = {} } =
        operation('GetShippingPagedList').parameters.find((one) => one.name === name) ?? {};
      expect(Object.values(examples).map(({ value }) => value)).toEqual(values);
      expect([schema?.enum, schema?.default]).toEqual([undefined, values[0]]);
    }
  });

  it('bounds no list or text so loosely that a mock of it is huge, and has no pattern that nobody can read', () => {
    const text = JSON.stringify(document.components?.schemas) + JSON.stringify(document.paths);
    const bounds = [...text.matchAll(/"max(?:Items|Length)":(\d+)/g)].map(([, bound]) => Number(bound));
    expect(bounds.length).toBeGreaterThan(0);
    expect(Math.max(...bounds)).toBeLessThanOrEqual(MAX_HEADER_BYTES);
    const patterns = [...text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern = '']) => pattern.length);
    expect(Math.max(...patterns)).toBeLessThanOrEqual(100);
  });

  it('D13 documents exactly the fields of each shape, all of them always present', () => {
    const shapes = {
      ShippingLookupItem: Object.keys(mappedRecord({ body: 'list' })),
      ShippingListItem: Object.keys(mappedRecord({ body: 'page' })),
      ShippingDetail: Object.keys(mappedRecord({ body: 'record' })),
      ShippingItem: Object.keys(mappedItem()),
      PagedShippingList: ['items', 'totalCount', 'pageNumber', 'pageSize', 'totalPages', 'hasPreviousPage', 'hasNextPage'], // prettier-ignore
    };
    const schemas = document.components?.schemas as Record<string, Schema>;
    for (const [name, fields] of Object.entries(shapes)) {
      expect([name, Object.keys(schemas[name]?.properties ?? {}).sort()]).toEqual([name, [...fields].sort()]);
      expect([name, [...(schemas[name]?.required ?? [])].sort()]).toEqual([name, [...fields].sort()]);
    }
    const nullable = Object.entries(schemas.ShippingDetail?.properties ?? {}).filter(([, { type }]) => [type].flat().includes('null')); // prettier-ignore
    const absent = Object.entries(mappedEmptyRecord({ body: 'record' })).filter(([, value]) => value === null);
    expect(nullable.map(([field]) => field).sort()).toEqual(absent.map(([field]) => field).sort());
  });

  it('has no reference that leads nowhere, and shows headers that their schemas allow', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = '']) => $ref);
    expect(references.length).toBeGreaterThan(20);
    for (const $ref of new Set(references)) expect(() => resolved({ $ref })).not.toThrow();
    const headers = Object.entries(document.components?.headers ?? {}) as unknown as [string, { schema: Schema; example: unknown; examples?: Record<string, { value: unknown }> }][]; // prettier-ignore
    const shown = headers.flatMap(([name, { schema, example, examples = { only: { value: example } } }]) =>
      Object.values(examples).map(({ value }) => [name, schema, value] as const),
    );
    expect(shown.flatMap(([name, schema, value]) => breaches(schema, value, name))).toEqual([]);
  });

  it('D25 is served as JSON and YAML, with the Swagger UI, and / leads there', async () => {
    const get = (url: string) => app.inject({ url });
    expect((await get('/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect((await get('/openapi.yaml')).body).toMatch(/^openapi: 3\.1\.0$/m);
    const page = await get('/docs');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
    const root = await get('/');
    expect([root.statusCode, root.headers.location]).toEqual([302, '/docs']);
  });
});

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}
