import { load } from 'js-yaml';
import { execFileSync } from 'node:child_process';
import { read, ROOT } from '../support/read';

interface Job {
  readonly container: { readonly image: string };
  readonly steps: readonly { readonly run?: string; readonly with?: object }[];
}
const { jobs } = load(read('.github/workflows/checks.yml')) as { jobs: Readonly<Record<'checks' | 'release', Job>> };

it('the Node of the image is that of developers and of the checks', () => {
  const [, version = ''] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(read('Dockerfile')) ?? [];
  expect(read('.node-version')).toBe(`${version}\n`);
  expect(jobs.checks.container.image).toBe(`node:${version}-bookworm`);
});

it('a release publishes the image that the manifests name, in lower case', () => {
  const [, version = ''] = /newTag: (\S+)/.exec(read('deploy/kubernetes/kustomization.yaml')) ?? [];
  const { steps } = jobs.release;
  const { run = '' } = steps.find((step) => step.run?.includes('GITHUB_REF_NAME')) ?? {};
  const github = { GITHUB_REPOSITORY: 'Team/Shipping', GITHUB_REF_NAME: `v${version}`, GITHUB_ENV: '/dev/stdout' };
  // Behind a pipe, standard output can be opened by its name.
  const set = execFileSync('bash', ['-ec', `{ ${run}\n} | cat`], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...github },
  });
  expect(set).toBe(`IMAGE=team/shipping:${version}\n`);
  expect(steps.map((step) => step.with)).toContainEqual(
    expect.objectContaining({ tags: '${{ secrets.IMAGE_REGISTRY }}/${{ env.IMAGE }}' }),
  );
});
