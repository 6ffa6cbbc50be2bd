import { load } from 'js-yaml';
import { execFileSync } from 'node:child_process';
import { read, ROOT } from '../support/read';

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

  it('publishes the image in lower case, by the tag of the manifests', () => {
    const [, version] = /newTag: (\S+)/.exec(read('deploy/kubernetes/kustomization.yaml')) ?? [];
    const { run = '' } = jobs.release.steps.find((step) => step.run?.includes('GITHUB_REF_NAME')) ?? {};
    const github = { GITHUB_REPOSITORY: 'Team/Shipping', GITHUB_REF_NAME: `v${version ?? ''}` };
    const env = { ...process.env, ...github, GITHUB_ENV: '/dev/stdout' };
    // Behind a pipe, standard output can be opened by its name.
    const set = execFileSync('bash', ['-ec', `{ ${run}\n} | cat`], { cwd: ROOT, encoding: 'utf8', env });
    expect(set).toBe(`IMAGE=team/shipping:${version ?? ''}\n`);
    const publish = jobs.release.steps.find(({ with: inputs }) => inputs !== undefined && 'tags' in inputs);
    expect(publish?.with).toMatchObject({ tags: '${{ secrets.IMAGE_REGISTRY }}/${{ env.IMAGE }}' });
  });
});
