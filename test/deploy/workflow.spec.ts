import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Job {
  readonly container: { readonly image: string };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs: string;
  readonly if: string;
  readonly steps: readonly { readonly run?: string; readonly with?: object }[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<'checks' | 'release', Job>>;
}

describe('the workflow of GitHub Actions', () => {
  const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');
  const { permissions, jobs } = load(read('.github/workflows/checks.yml')) as Workflow;

  it('checks on the Node of the image, which is the one that developers get', () => {
    const [, version] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(read('Dockerfile')) ?? [];
    expect(read('.node-version')).toBe(`${version ?? ''}\n`);
    expect(jobs.checks.container.image).toBe(`node:${version ?? ''}-bookworm`);
  });

  it('releases tags alone, once the checks have passed, and may write nothing before', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect([jobs.checks.permissions, jobs.release.needs]).toEqual([undefined, 'checks']);
    expect(jobs.release.if).toBe("startsWith(github.ref, 'refs/tags/v')");
  });

  it('publishes the package with provenance, the image with its bill of materials, and that of the package', () => {
    const steps = jobs.release.steps
      .map(({ run = '', with: inputs = {} }) => [run, JSON.stringify(inputs)].join(' '))
      .join('\n');
    for (const part of ['npm publish --provenance', '"provenance":"mode=max","sbom":true', 'artifacts/sbom.json'])
      expect(steps).toContain(part);
    expect(jobs.release.permissions?.['id-token']).toBe('write');
  });
});
