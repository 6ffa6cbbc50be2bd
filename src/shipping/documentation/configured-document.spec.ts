import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../config/settings';
import { configuredDocument } from './configured-document';

const COMMITTED = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as OpenAPIObject;

/** The schemas of one parameter, wherever it stands. */
function parameterSchemas(document: OpenAPIObject, name: RegExp): unknown[] {
  const parameters = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  return parameters.flatMap((parameter) =>
    'name' in parameter && name.test(parameter.name) ? [parameter.schema] : [],
  );
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

  it('documents the size limit of upstream responses', () => {
    const settings = readSettings({ EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '1000' });
    const text = JSON.stringify(configuredDocument(COMMITTED, settings));
    expect(text).not.toContain('5242880');
    expect(text.match(/"max(Length|Items)":1000\b/g)?.length).toBe(
      JSON.stringify(COMMITTED).match(/"max(Length|Items)":5242880\b/g)?.length,
    );
  });
});
