import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../config/settings';
import { PAGE_SIZE } from '../model/paging-rules';
import { configuredDocument } from './configured-document';
import { LIST_FAILURE_TEXTS } from './list-failure';

const COMMITTED = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as OpenAPIObject;

/** The schemas of one parameter, wherever it stands. */
function parameterSchemas(document: OpenAPIObject, name: RegExp): unknown[] {
  const parameters = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  return parameters.flatMap((parameter) =>
    'name' in parameter && name.test(parameter.name) ? [parameter.schema] : [],
  );
}

/** Every text of a document. */
function textsOf(document: OpenAPIObject): string[] {
  const texts: string[] = [];
  JSON.stringify(document, (_, value: unknown) => (typeof value === 'string' ? (texts.push(value), value) : value));
  return texts;
}

describe('configuredDocument', () => {
  it('is unchanged with the default settings', () => {
    expect(configuredDocument(COMMITTED, readSettings({}))).toEqual(COMMITTED);
  });

  it('D9 documents the configured pattern of identifiers', () => {
    const document = configuredDocument(COMMITTED, readSettings({ SHIPPING_ID_PATTERN: '[0-9]{4}' }));
    const schemas = parameterSchemas(document, /^id$/i);
    expect(schemas.length).toBeGreaterThanOrEqual(2);
    for (const schema of schemas) {
      expect(schema).toMatchObject({ type: 'string', pattern: '^(?:[0-9]{4})$', minLength: 1, maxLength: 256 });
    }
  });

  it('D4 documents the configured largest page, wherever it is stated', () => {
    for (const [max, pageSize] of [
      [250, 10],
      [5, 5],
    ]) {
      const document = configuredDocument(COMMITTED, readSettings({ MAX_PAGE_SIZE: String(max) }));
      expect(parameterSchemas(document, /^PageSize$/)).toEqual([
        expect.objectContaining({ minimum: 1, maximum: max, default: pageSize, example: pageSize }),
      ]);
      const text = JSON.stringify(document);
      const message = `Page size must be between 1 and ${max}`;
      expect(text.split(message)).toHaveLength(JSON.stringify(COMMITTED).split(PAGE_SIZE.message).length);
      expect(text).not.toContain(PAGE_SIZE.message);
      expect(text).toContain(`"?PageSize=${Number(max) + 1}"`);
    }
    const { info } = configuredDocument(COMMITTED, readSettings({ MAX_PAGE_SIZE: '1' }));
    expect(info.description).toContain('GetShippingPagedList?PageSize=1)');
  });

  it.each(LIST_FAILURE_TEXTS)('D21 LIST_FAILURE=error replaces %j', (empty, error) => {
    const texts = (env: Record<string, string>): string[] => textsOf(configuredDocument(COMMITTED, readSettings(env)));
    expect(texts({}).some((text) => text.includes(empty))).toBe(true);
    const replaced = texts({ LIST_FAILURE: 'error' });
    expect(replaced.filter((text) => text.includes(empty))).toEqual([]);
    expect(replaced.some((text) => text.includes(error))).toBe(true);
  });

  it('D21 LIST_FAILURE=error documents no empty list', () => {
    const text = JSON.stringify(configuredDocument(COMMITTED, readSettings({ LIST_FAILURE: 'error' })));
    expect(text).not.toMatch(/"unavailable"|unavailable;|\(unavailable\)|empty list|is empty|Strict clients only/);
    expect(text).toContain('(partial|stale);reason=');
  });

  it('D22 documents the headers that are sent on', () => {
    const names = ['X-Tenant-Id', 'Accept-Language'];
    const document = configuredDocument(COMMITTED, readSettings({ FORWARD_HEADERS: names.join(',') }));
    expect(parameterSchemas(document, /^(X-Tenant-Id|Accept-Language)$/)).toHaveLength(4 * names.length);
    expect(document.components?.headers?.Vary).toMatchObject({
      example: 'Prefer, accept-encoding, X-Tenant-Id, Accept-Language',
    });
    expect(document.paths['/health/live']?.get?.parameters).toEqual(COMMITTED.paths['/health/live']?.get?.parameters);
  });
});
