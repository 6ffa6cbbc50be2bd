import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addCodeSamples } from './code-samples';

const COMMITTED = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as OpenAPIObject;

/** The code samples of an operation, by label. */
function samples(path: string, document = COMMITTED): Record<string, string> {
  const operation = document.paths[path]?.get as { 'x-codeSamples'?: { label: string; source: string }[] };
  return Object.fromEntries((operation['x-codeSamples'] ?? []).map(({ label, source }) => [label, source]));
}

describe('addCodeSamples', () => {
  it.each([
    ['GetShippingSingle', '?OrderId=ORD-000001', "getShippingSingle({ OrderId: 'ORD-000001' })"],
    ['GetShippingInfoById/{id}', 'SHP-000001', "getShippingInfoById('SHP-000001')"],
    ['GetShippingDetails', '?Limit=1', 'getShippingDetails({ Limit: 1 })'],
    ['GetShippingPagedList', '?PageSize=1', 'getShippingPagedList({ PageSize: 1 })'],
  ])('shows the request of the example of %s', (operation, request, call) => {
    const path = `/api/Shipping/${operation}`;
    const url = `http://localhost:3000${path.replace('{id}', '')}${request}`;
    const { curl, fetch, 'Typed client': client } = samples(path);
    expect(curl).toBe(`curl -i '${url}'`);
    expect(fetch).toContain(`await fetch('${url}')`);
    expect(client).toContain(`await client.${call};`);
  });

  it('leaves operations without a complete example alone', () => {
    const health = COMMITTED.paths['/health/live'];
    const document = { ...COMMITTED, paths: { '/health/live': structuredClone(health ?? {}) } };
    expect(addCodeSamples(document).paths['/health/live']).toEqual(health);
  });
});
