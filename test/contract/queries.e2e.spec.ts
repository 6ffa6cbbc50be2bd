import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useScriptedService } from '../support/service';

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Record<string, DocumentedResponse> } }>
  >;
}
interface DocumentedResponse {
  readonly content?: Record<string, { examples: Record<string, { 'x-request': { target: string } }> }>;
}

const { paths } = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as Document;

/** The documented operations, each with a valid request: the one that fails on the sandbox. */
const OPERATIONS = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/'))
  .map(([path, { get }]) => {
    const { examples = {} } = get.responses[502]?.content?.['application/problem+json'] ?? {};
    return [path, Object.values(examples)[0]?.['x-request'].target ?? path] as const;
  });

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
