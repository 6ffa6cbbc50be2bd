import { refusedUrl } from '../support/upstream/refused-url';
import { RunningService } from '../support/service';
import { namesIn, type Node, readEnvFile, readYaml } from './support/files';
import { find, type Manifests, manifestFaults, probedPaths } from './support/kubernetes';

const FOLDER = 'deploy/kubernetes';

function load(): Manifests {
  const [kustomization] = readYaml(`${FOLDER}/kustomization.yaml`);
  const objects = kustomization.resources.flatMap((name: string) => readYaml(`${FOLDER}/${name}`));
  return { objects, kustomization, settings: readEnvFile(`${FOLDER}/settings.env`) };
}

describe('the Kubernetes manifests', () => {
  it('break no rule', () => {
    expect(manifestFaults(load())).toEqual([]);
  });

  it('are all named by the kustomization', () => {
    const [{ resources, configMapGenerator }] = readYaml(`${FOLDER}/kustomization.yaml`) as [Node];
    const named = [...resources, ...configMapGenerator.flatMap(({ envs }: Node) => envs), 'kustomization.yaml'];
    expect(named.sort()).toEqual(namesIn(FOLDER));
  });

  it('D25 probe paths that the service answers', async () => {
    const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() });
    try {
      const { objects } = load();
      const annotations = find(objects, 'Deployment').spec.template.metadata.annotations;
      for (const path of [...probedPaths(objects), annotations['prometheus.io/path']]) {
        expect([path, (await service.get(path)).status]).toEqual([path, 200]);
      }
    } finally {
      await service.close();
    }
  });
});
