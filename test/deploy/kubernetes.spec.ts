import { environmentFaults } from './support/known-settings';
import { refusedUrl } from '../support/upstream/refused-url';
import { RunningService } from '../support/service';
import { namesIn, type Node, readEnvFile, readYaml } from './support/files';

/** What `kubectl apply -k` would send, and the settings that become a ConfigMap. */
interface Manifests {
  readonly objects: readonly Node[];
  readonly kustomization: Node;
  readonly settings: Readonly<Record<string, string>>;
}

const VERSIONS: Readonly<Record<string, string>> = {
  ServiceAccount: 'v1',
  Service: 'v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
};
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** The service ends within this on SIGTERM. */
const DRAIN_SECONDS = 25;
const SETTINGS_NAME = 'shipping-query-service';

/** What is wrong with the manifests as a whole: what an API server would refuse, and what would hurt in operation. */
function manifestFaults(manifests: Manifests): string[] {
  const { objects, kustomization, settings } = manifests;
  const deployment = find(objects, 'Deployment');
  const pod = deployment.spec.template.spec;
  const container = pod.containers[0];
  return [
    ...objects.flatMap(identityFaults),
    ...podFaults(pod),
    ...containerFaults(container),
    ...imageFaults(container, kustomization),
    ...settingsFaults(container, kustomization, settings),
    ...referenceFaults(objects),
    ...budgetFaults(objects),
    ...networkFaults(objects, settings),
  ];
}

function find(objects: readonly Node[], kind: string): Node {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind}`);
  return found[0];
}

/** Paths that the kubelet asks. */
function probedPaths(objects: readonly Node[]): string[] {
  const container = find(objects, 'Deployment').spec.template.spec.containers[0];
  return ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => String(container[name]?.httpGet?.path));
}

function identityFaults({ apiVersion, kind, metadata }: Node): string[] {
  return named([
    [`${kind}: apiVersion ${apiVersion}`, VERSIONS[kind] !== apiVersion],
    [`${kind}: name ${metadata?.name}`, !NAME.test(metadata?.name)],
    [`${kind}: no label app.kubernetes.io/name`, metadata?.labels?.['app.kubernetes.io/name'] === undefined],
  ]);
}

function podFaults(pod: Node): string[] {
  const { securityContext = {}, terminationGracePeriodSeconds: grace = 30, containers } = pod;
  const preStop = Number(containers[0].lifecycle?.preStop?.exec?.command?.[1] ?? 0);
  return named([
    ['several containers', containers.length !== 1],
    ['killed before it has drained', !(grace > DRAIN_SECONDS + preStop)],
    ['gets connections when it has stopped listening', !(preStop >= 3)],
    ['may run as root', securityContext.runAsNonRoot !== true || !(securityContext.runAsUser > 0)],
    ['no seccomp profile', securityContext.seccompProfile?.type !== 'RuntimeDefault'],
    ['holds a token of the cluster', pod.automountServiceAccountToken !== false],
    ['replicas may share a node without need', pod.topologySpreadConstraints === undefined],
  ]);
}

function containerFaults(container: Node): string[] {
  const { securityContext = {}, resources = {}, env = [] } = container;
  const heap = /--max-old-space-size=(\d+)/.exec(env.find((each: Node) => each.name === 'NODE_OPTIONS')?.value)?.[1];
  const memory = { request: bytes(resources.requests?.memory), limit: bytes(resources.limits?.memory) };
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => [name, container[name]]);
  const ports = container.ports?.map(({ name }: Node) => name) ?? [];
  return named([
    ['no processor time requested', !/^\d+m?$/.test(resources.requests?.cpu)],
    ['no memory requested', !(memory.request > 0)],
    ['memory requested beyond the limit', !(memory.request <= memory.limit)],
    ['processor time is limited', resources.limits?.cpu !== undefined],
    ['the heap may outgrow the memory', !(Number(heap) * 1024 ** 2 <= 0.75 * memory.limit)],
    ['may gain privileges', securityContext.allowPrivilegeEscalation !== false],
    ['may write to its image', securityContext.readOnlyRootFilesystem !== true],
    ['keeps capabilities', String(securityContext.capabilities?.drop) !== 'ALL'],
    ...probes.map(([name, probe]): Rule => [`${name} asks nobody`, !ports.includes(probe?.httpGet?.port)]),
    ['gives up before it could have started', !(container.startupProbe?.failureThreshold * container.startupProbe?.periodSeconds >= 30)], // prettier-ignore
    ['liveness depends on more than the process', container.livenessProbe?.httpGet?.path !== '/health/live'],
  ]);
}

function imageFaults(container: Node, { images = [] }: Node): string[] {
  const image = images.find(({ name }: Node) => name === container.image);
  const tag = image?.newTag ?? container.image?.split(':')[1];
  return named([['the image has no exact version', !/^\d+\.\d+\.\d+$/.test(tag)]]);
}

function settingsFaults(container: Node, kustomization: Node, settings: Manifests['settings']): string[] {
  const { env = [], envFrom = [], ports = [] } = container;
  const direct = env.filter((each: Node) => each.value !== undefined).map(({ name, value }: Node) => [name, value]);
  const secret = env.filter((each: Node) => each.valueFrom !== undefined);
  const values: Record<string, string> = { ...settings, ...Object.fromEntries(direct) };
  const stands = Object.fromEntries(secret.map(({ name }: Node) => [name, secretLike(name)]));
  const generated = kustomization.configMapGenerator?.map(({ name }: Node) => name) ?? [];
  return [
    ...environmentFaults({ ...values, ...stands }, 'service'),
    ...named([
      ['a value that is no text', !Object.values(values).every((value) => typeof value === 'string')],
      ['settings of a ConfigMap that nobody makes', !envFrom.every(({ configMapRef }: Node) => generated.includes(configMapRef?.name))], // prettier-ignore
      ['no settings at all', !generated.includes(SETTINGS_NAME) || envFrom.length === 0],
      ['a secret among the settings', Object.keys(values).some((name) => /TOKEN|SECRET|PASSWORD|KEYS/.test(name))],
      ['a secret without which it does not start', !secret.every(({ valueFrom }: Node) => valueFrom.secretKeyRef?.optional === true)], // prettier-ignore
      ['listens elsewhere than its port', values.PORT !== String(ports[0]?.containerPort)],
    ]),
  ];
}

/** What an operator would put there. */
function secretLike(name: string): string {
  return name.endsWith('_URL') ? 'redis://:secret@redis:6379' : 'a'.repeat(64);
}

function referenceFaults(objects: readonly Node[]): string[] {
  const { spec, metadata } = find(objects, 'Deployment');
  const { labels } = spec.template.metadata;
  const selects = (selector: Node): boolean =>
    Object.keys(selector ?? {}).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value);
  const ports = spec.template.spec.containers[0].ports.map(({ name }: Node) => name);
  const service = find(objects, 'Service').spec;
  const autoscaler = find(objects, 'HorizontalPodAutoscaler').spec.scaleTargetRef;
  const annotations = spec.template.metadata.annotations ?? {};
  return named([
    ['the Deployment selects others than its pods', !selects(spec.selector.matchLabels)],
    ['the Service selects no pods', !selects(service.selector)],
    ['the Service sends to no port', !service.ports.every(({ targetPort }: Node) => ports.includes(targetPort))],
    ['the budget selects no pods', !selects(find(objects, 'PodDisruptionBudget').spec.selector.matchLabels)],
    ['the NetworkPolicy selects no pods', !selects(find(objects, 'NetworkPolicy').spec.podSelector.matchLabels)],
    ['the autoscaler scales something else', autoscaler.kind !== 'Deployment' || autoscaler.apiVersion !== 'apps/v1' || autoscaler.name !== metadata.name], // prettier-ignore
    ['the autoscaler and the Deployment both set the number', spec.replicas !== undefined],
    ['no such ServiceAccount', find(objects, 'ServiceAccount').metadata.name !== spec.template.spec.serviceAccountName],
    ['Prometheus asks another port', annotations['prometheus.io/port'] !== String(spec.template.spec.containers[0].ports[0].containerPort)], // prettier-ignore
  ]);
}

function budgetFaults(objects: readonly Node[]): string[] {
  const { minReplicas, maxReplicas } = find(objects, 'HorizontalPodAutoscaler').spec;
  const { rollingUpdate } = find(objects, 'Deployment').spec.strategy;
  const { maxUnavailable } = find(objects, 'PodDisruptionBudget').spec;
  return named([
    ['the loss of one replica is an outage', !(minReplicas >= 2)],
    ['nothing to scale to', !(maxReplicas > minReplicas)],
    ['an update takes replicas away first', rollingUpdate?.maxUnavailable !== 0 || !(rollingUpdate?.maxSurge >= 1)],
    [
      'a node cannot be emptied, or all replicas may go at once',
      !(maxUnavailable >= 1 && maxUnavailable < minReplicas),
    ],
  ]);
}

function networkFaults(objects: readonly Node[], settings: Manifests['settings']): string[] {
  const { ingress = [], egress = [], policyTypes } = find(objects, 'NetworkPolicy').spec;
  const { ports } = find(objects, 'Deployment').spec.template.spec.containers[0];
  const open = new Set(egress.flatMap((rule: Node) => rule.ports?.map(({ port }: Node) => port) ?? []));
  const external = new URL(settings.EXTERNAL_SHIPPING_BASE_URL ?? 'https://missing');
  return named([
    ['the NetworkPolicy rules one direction only', String(policyTypes) !== 'Ingress,Egress'],
    ['anybody may ask', !ingress.every((rule: Node) => rule.from?.length > 0)],
    ['nobody may ask', !ingress.some((rule: Node) => rule.ports?.some(({ port }: Node) => port === ports[0].name))],
    ['names cannot be looked up', !open.has(53)],
    ['the external system is out of reach', !open.has(Number(external.port || (external.protocol === 'https:' ? 443 : 80)))], // prettier-ignore
  ]);
}

type Rule = [fault: string, isBroken: boolean];

function named(rules: readonly Rule[]): string[] {
  return rules.filter(([, isBroken]) => isBroken).map(([fault]) => fault);
}

const UNITS: Readonly<Record<string, number>> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

function bytes(quantity: unknown): number {
  const [, digits, unit = ''] = /^(\d+)(Ki|Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (UNITS[unit] ?? NaN);
}

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
