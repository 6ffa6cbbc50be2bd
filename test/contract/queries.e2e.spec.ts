import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useScriptedService } from '../support/service';

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly 'x-codeSamples'?: [{ source: string }] } }>>;
}

const { paths } = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as Document;

/** The documented operations, each with the request of its first code sample. */
const OPERATIONS = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/'))
  .map(([path, { get }]) => [path, /'http:\/\/[^/]+(\/.+)'/.exec(get['x-codeSamples']?.[0].source ?? '')?.[1] ?? path] as const); // prettier-ignore

describe('queries and their handlers', () => {
  const scripted = useScriptedService();

  it.each(OPERATIONS)('%s executes a query that has a handler', async (_, request) => {
    const { status, headers } = await scripted.service.get(request);
    expect([status, headers['shipping-completeness']]).toEqual([200, expect.stringMatching(/^complete/)]);
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('no query has a second handler', () => {
    expect(scripted.service.log.filter((line) => line.includes('already registered'))).toEqual([]);
  });
});
