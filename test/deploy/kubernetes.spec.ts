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

const container = ({ objects }: Manifests): Node => find(objects, 'Deployment').spec.template.spec.containers[0];
const pod = ({ objects }: Manifests): Node => find(objects, 'Deployment').spec.template.spec;
const spec = ({ objects }: Manifests, kind: string): Node => find(objects, kind).spec;

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

  const breaks: [fault: string, spoil: (manifests: Manifests) => void][] = [
    ['Deployment: apiVersion v1', (all) => (find(all.objects, 'Deployment').apiVersion = 'v1')],
    ['Service: name Shipping', (all) => (find(all.objects, 'Service').metadata.name = 'Shipping')],
    ['killed before it has drained', (all) => (pod(all).terminationGracePeriodSeconds = 30)],
    ['killed before it has drained', (all) => delete pod(all).terminationGracePeriodSeconds],
    ['gets connections when it has stopped listening', (all) => delete container(all).lifecycle],
    ['may run as root', (all) => delete pod(all).securityContext.runAsUser],
    ['no seccomp profile', (all) => delete pod(all).securityContext.seccompProfile],
    ['holds a token of the cluster', (all) => delete pod(all).automountServiceAccountToken],
    ['no processor time requested', (all) => delete container(all).resources.requests.cpu],
    ['no memory requested', (all) => delete container(all).resources.requests.memory],
    ['memory requested beyond the limit', (all) => (container(all).resources.requests.memory = '1Gi')],
    ['memory requested beyond the limit', (all) => delete container(all).resources.limits],
    ['processor time is limited', (all) => (container(all).resources.limits.cpu = '1')],
    ['the heap may outgrow the memory', (all) => (container(all).resources.limits.memory = '256Mi')],
    ['may gain privileges', (all) => delete container(all).securityContext],
    ['may write to its image', (all) => (container(all).securityContext.readOnlyRootFilesystem = false)],
    ['keeps capabilities', (all) => (container(all).securityContext.capabilities.drop = ['NET_RAW'])],
    ['readinessProbe asks nobody', (all) => (container(all).readinessProbe.httpGet.port = 'web')],
    ['startupProbe asks nobody', (all) => delete container(all).startupProbe],
    ['gives up before it could have started', (all) => (container(all).startupProbe.failureThreshold = 2)],
    ['liveness depends on more than the process', (all) => (container(all).livenessProbe.httpGet.path = '/health/ready')], // prettier-ignore
    ['the image has no exact version', (all) => (all.kustomization.images[0].newTag = 'latest')],
    ['the image has no exact version', (all) => delete all.kustomization.images],
    ['EXTERNAL_SHIPING_TIMEOUT_MS is read by nobody', (all) => Object.assign(all.settings, { EXTERNAL_SHIPING_TIMEOUT_MS: '1' })], // prettier-ignore
    ['a secret among the settings', (all) => Object.assign(all.settings, { EXTERNAL_SHIPPING_TOKEN: 'x' })],
    ['settings of a ConfigMap that nobody makes', (all) => (container(all).envFrom[0].configMapRef.name = 'other')],
    ['no settings at all', (all) => delete container(all).envFrom],
    ['listens elsewhere than its port', (all) => (container(all).env[0].value = '8080')],
    ['a value that is no text', (all) => (container(all).env[0].value = 3000)],
    ['the Deployment selects others than its pods', (all) => (spec(all, 'Deployment').selector.matchLabels.a = 'b')],
    ['the Service selects no pods', (all) => (spec(all, 'Service').selector = { app: 'other' })],
    ['the Service sends to no port', (all) => (spec(all, 'Service').ports[0].targetPort = 'web')],
    ['the budget selects no pods', (all) => (spec(all, 'PodDisruptionBudget').selector.matchLabels = {})],
    ['the NetworkPolicy selects no pods', (all) => (spec(all, 'NetworkPolicy').podSelector = {})],
    ['the autoscaler scales something else', (all) => (spec(all, 'HorizontalPodAutoscaler').scaleTargetRef.name = 'x')],
    ['the autoscaler and the Deployment both set the number', (all) => (spec(all, 'Deployment').replicas = 3)],
    ['no such ServiceAccount', (all) => (pod(all).serviceAccountName = 'other')],
    ['the loss of one replica is an outage', (all) => (spec(all, 'HorizontalPodAutoscaler').minReplicas = 1)],
    ['an update takes replicas away first', (all) => (spec(all, 'Deployment').strategy.rollingUpdate.maxUnavailable = 1)], // prettier-ignore
    ['a node cannot be emptied, or all replicas may go at once', (all) => (spec(all, 'PodDisruptionBudget').maxUnavailable = 3)], // prettier-ignore
    ['a node cannot be emptied, or all replicas may go at once', (all) => (spec(all, 'PodDisruptionBudget').maxUnavailable = 0)], // prettier-ignore
    ['anybody may ask', (all) => delete spec(all, 'NetworkPolicy').ingress[0].from],
    ['nobody may ask', (all) => (spec(all, 'NetworkPolicy').ingress = [])],
    ['names cannot be looked up', (all) => spec(all, 'NetworkPolicy').egress.shift()],
    ['the external system is out of reach', (all) => Object.assign(all.settings, { EXTERNAL_SHIPPING_BASE_URL: 'https://a.example:8443' })], // prettier-ignore
  ];

  it.each(breaks)('would be found out: %s (%#)', (fault, spoil) => {
    const manifests = load();
    spoil(manifests);
    expect(manifestFaults(manifests)).toContain(fault);
  });

  it('would be found out where the service refused a setting', () => {
    const manifests = load();
    Object.assign(manifests.settings, { EXTERNAL_SHIPPING_TIMEOUT_MS: '5s' });
    expect(manifestFaults(manifests).join()).toMatch(/EXTERNAL_SHIPPING_TIMEOUT_MS must be an integer/);
  });
});
