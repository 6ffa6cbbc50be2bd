/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call,
   @typescript-eslint/no-dynamic-delete -- cases spoil a document in any place */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges } from './breaking-changes';
import type { Document } from './document';

/** A document with one operation of everything, to be spoilt in one place. */
function document(): any {
  return {
    openapi: '3.1.0',
    info: { version: '1.0.0' },
    paths: {
      '/things': {
        get: {
          operationId: 'getThings',
          parameters: [
            { name: 'Limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
            { name: 'Kind', in: 'query', schema: { $ref: '#/components/schemas/Kind' } },
            { name: 'Term', in: 'query', schema: { type: 'string', maxLength: 20, pattern: '^[a-z]*$' } },
            { name: 'Prefer', in: 'header', schema: { type: 'string' } },
          ],
          responses: {
            200: {
              headers: {
                'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
                'Retry-After': { schema: { type: 'integer', minimum: 1 } },
              },
              content: {
                'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
              },
              links: { whole: { operationId: 'getThing' } },
            },
            404: { $ref: '#/components/responses/NotFound' },
          },
        },
      },
    },
    components: {
      schemas: {
        Kind: { type: 'string', enum: ['big', 'small'] },
        Thing: {
          type: 'object',
          properties: {
            id: { type: 'string', maxLength: 64, format: 'uuid' },
            kind: { allOf: [{ $ref: '#/components/schemas/Kind' }], description: 'How big' },
            size: { type: ['number', 'null'], minimum: 0, maximum: 10 },
          },
          required: ['id', 'kind'],
        },
      },
      headers: { 'X-Request-Id': { required: true, schema: { type: 'string', pattern: '^[a-z]+$' } } },
      responses: { NotFound: { content: { 'text/plain': { schema: { type: 'string', enum: ['no such thing'] } } } } },
    },
  };
}

type Change = (document: any) => void;

const operation = (spoilt: any): any => spoilt.paths['/things'].get;
const parameter = (spoilt: any, index: number): any => operation(spoilt).parameters[index];
const thing = (spoilt: any): any => spoilt.components.schemas.Thing;

const changesOf = (change: Change): string[] => {
  const after = document();
  change(after);
  return breakingChanges(document() as Document, after as Document);
};

describe('breakingChanges', () => {
  it.each<[what: string, change: Change, named: string[]]>([
    ['an operation removed', (d) => delete d.paths['/things'], ['GET /things is removed']],
    ['another name', (d) => (operation(d).operationId = 'listThings'), ['GET /things: operationId getThings becomes listThings']],
    ['authentication', (d) => (d.security = [{ bearer: [] }]), ['GET /things: asks who is calling']],
    ['authentication of one operation', (d) => (operation(d).security = [{ bearer: [] }]), ['GET /things: asks who is calling']],
    ['a parameter removed', (d) => operation(d).parameters.splice(2, 1), ['GET /things: query parameter Term is removed']],
    ['a parameter that becomes required', (d) => (parameter(d, 2).required = true), ['GET /things: query parameter Term becomes required']],
    ['a new required parameter', (d) => operation(d).parameters.push({ name: 'Zone', in: 'query', required: true, schema: {} }), ['GET /things: query parameter Zone becomes required']],
    ['a lower maximum', (d) => (parameter(d, 0).schema.maximum = 50), ['GET /things: query parameter Limit no longer takes what it took: the value has maximum 100 where it was 50']],
    ['a minimum where there was none', (d) => (parameter(d, 2).schema.minLength = 1), ['GET /things: query parameter Term no longer takes what it took: the value has minLength no more where it was 1']],
    ['another pattern', (d) => (parameter(d, 2).schema.pattern = '^[b-z]*$'), ['GET /things: query parameter Term no longer takes what it took: the value has another pattern']],
    ['a parameter of another type', (d) => (parameter(d, 2).schema.type = 'boolean'), ['GET /things: query parameter Term no longer takes what it took: the value may be string']],
    ['another default', (d) => (parameter(d, 0).schema.default = 20), ['GET /things: query parameter Limit left out means 20, not 10']],
    ['a status removed', (d) => delete operation(d).responses[404], ['GET /things: status 404 is removed']],
    ['a media type removed', (d) => delete d.components.responses.NotFound.content['text/plain'], ['GET /things: 404 text/plain is removed']],
    ['a header removed', (d) => delete operation(d).responses[200].headers['Retry-After'], ['GET /things: 200 header Retry-After is removed']],
    ['a header that may be missing', (d) => (d.components.headers['X-Request-Id'].required = false), ['GET /things: 200 header X-Request-Id is no longer always there']],
    ['a header of other values', (d) => (d.components.headers['X-Request-Id'].schema.pattern = '.'), ['GET /things: 200 header X-Request-Id goes beyond what it was: the value has another pattern']],
    ['a link removed', (d) => delete operation(d).responses[200].links, ['GET /things: 200 link whole is removed']],
    ['a property removed', (d) => delete thing(d).properties.size, ['GET /things: 200 application/json goes beyond what it was: [].size is removed']],
    ['a property that may be missing', (d) => (thing(d).required = ['id']), ['GET /things: 200 application/json goes beyond what it was: [].kind is no longer always there']],
    ['a property that may be null', (d) => (thing(d).properties.id.type = ['string', 'null']), ['GET /things: 200 application/json goes beyond what it was: [].id may be null']],
    ['a longer text', (d) => (thing(d).properties.id.maxLength = 65), ['GET /things: 200 application/json goes beyond what it was: [].id has maxLength 65 where it was 64']],
    ['another format', (d) => delete thing(d).properties.id.format, ['GET /things: 200 application/json goes beyond what it was: [].id has format none where it was uuid']],
    ['a wider range', (d) => delete thing(d).properties.size.minimum, ['GET /things: 200 application/json goes beyond what it was: [].size has minimum no more where it was 0']],
    ['other items', (d) => delete operation(d).responses[200].content['application/json'].schema.items, ['GET /things: 200 application/json goes beyond what it was: [] may be anything']],
    ['any value where there were a few', (d) => delete d.components.responses.NotFound.content['text/plain'].schema.enum, ['GET /things: 404 text/plain goes beyond what it was: the value is no longer one of a few values']],
    // What answers may hold grows, and what requests may hold shrinks: each breaks the other side.
    ['a value added', (d) => d.components.schemas.Kind.enum.push('huge'), ['GET /things: 200 application/json goes beyond what it was: [].kind may be "huge"']],
    ['a value removed', (d) => d.components.schemas.Kind.enum.pop(), ['GET /things: query parameter Kind no longer takes what it took: the value may be "small"']],
    ['a choice', (d) => (thing(d).properties.size = { oneOf: [{ type: 'number', minimum: 0, maximum: 10 }, { type: 'string' }] }), ['GET /things: 200 application/json goes beyond what it was: [].size has an alternative that is new']],
  ])('names %s', (_, change, named) => {
    expect(changesOf(change)).toEqual(named);
  }); // prettier-ignore

  it.each<[what: string, change: Change]>([
    ['nothing', () => undefined],
    ['a new operation', (d) => (d.paths['/others'] = d.paths['/things'])],
    ['a new parameter', (d) => operation(d).parameters.push({ name: 'Zone', in: 'query', schema: { type: 'string' } })],
    ['a wider parameter', (d) => delete parameter(d, 0).schema.maximum],
    ['a new status', (d) => (operation(d).responses[429] = { content: {} })],
    ['a new header', (d) => (operation(d).responses[200].headers.ETag = { schema: { type: 'string' } })],
    ['a new property', (d) => (thing(d).properties.weight = { type: 'number' })],
    ['a property that is always there', (d) => thing(d).required.push('size')],
    ['a narrower answer', (d) => (thing(d).properties.size = { type: 'integer', minimum: 1, maximum: 9 })],
    ['fewer alternatives', (d) => (thing(d).properties.size = { oneOf: [{ type: 'integer', minimum: 2, maximum: 3 }, { type: 'null' }] })],
    ['optional authentication', (d) => (d.security = [{}, { bearer: [] }])],
    ['other words', (d) => (operation(d).summary = 'Things')],
    ['a header parameter in other letters', (d) => (parameter(d, 3).name = 'prefer')],
  ])('takes no offence at %s', (_, change) => {
    expect(changesOf(change)).toEqual([]);
  }); // prettier-ignore

  it('a property that is new in a closed object breaks clients', () => {
    const before = document();
    before.components.schemas.Thing.additionalProperties = false;
    const after = structuredClone(before);
    after.components.schemas.Thing.properties.weight = { type: 'number' };
    expect(breakingChanges(before as Document, after as Document)).toEqual([
      'GET /things: 200 application/json goes beyond what it was: [].weight is new in a closed object',
    ]);
  });

  describe('of the document of this service', () => {
    const text = readFileSync(join(__dirname, '../openapi.json'), 'utf8');
    const committed = (): any => JSON.parse(text);

    it('there are none against itself', () => {
      expect(breakingChanges(committed() as Document, committed() as Document)).toEqual([]);
    });

    const schemas = Object.entries(committed().components.schemas as Record<string, { properties?: object }>);
    it.each(
      schemas.flatMap(([schema, { properties = {} }]) =>
        Object.keys(properties).map((name) => [schema, name] as const),
      ),
    )('removing %s.%s is named', (schema, name) => {
      const after = committed();
      delete after.components.schemas[schema].properties[name];
      expect(breakingChanges(committed() as Document, after as Document).join('\n')).toContain(`${name} is removed`);
    });

    const paths = Object.keys(committed().paths as object);
    it.each(paths)('removing any parameter or status of %s is named', (path) => {
      const { parameters = [], responses } = committed().paths[path].get as {
        parameters?: { name: string }[];
        responses: object;
      };
      parameters.forEach(({ name }, index) => {
        const after = committed();
        after.paths[path].get.parameters.splice(index, 1);
        expect(breakingChanges(committed() as Document, after as Document).join('\n')).toMatch(
          new RegExp(`${name} is removed`, 'i'),
        );
      });
      for (const status of Object.keys(responses)) {
        const after = committed();
        delete after.paths[path].get.responses[status];
        expect(breakingChanges(committed() as Document, after as Document)).toEqual([
          `GET ${path}: status ${status} is removed`,
        ]);
      }
    });
  });
});
