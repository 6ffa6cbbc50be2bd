import { send } from '../support/http-client';
import { useScriptedService } from '../support/service';
import { type Node, read } from './support/files';
import { KUSTOMIZATION, OBJECTS, specOf, workload } from './support/manifests';

const { metadata, pod, container } = workload();
const { labels, annotations } = metadata;
const portOf = (name: string): number => container.ports.find((port: Node) => port.name === name)?.containerPort;
const valueOf = (name: string): string => container.env.find((each: Node) => each.name === name)?.value;

/** All nodes of an object by the name of their property. */
function nodesNamed(name: string, node: Node): Node[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => (key === name ? [child] : nodesNamed(name, child)));
}

describe('the Kubernetes manifests', () => {
  const scripted = useScriptedService({ MANAGEMENT_PORT: '0' });

  it('select the pods of the Deployment, and name what there is', () => {
    const others = OBJECTS.filter(({ kind }) => kind !== 'NetworkPolicy');
    const selectors = nodesNamed('matchLabels', others);
    const { podSelector } = specOf('NetworkPolicy');
    for (const selector of [...selectors, podSelector.matchLabels, specOf('Service').selector]) {
      expect(selector).not.toEqual({});
      expect(labels).toMatchObject(selector);
    }
    const kinds = OBJECTS.map((object) => `${object.kind} ${object.metadata.name}`);
    const { kind, name } = specOf('HorizontalPodAutoscaler').scaleTargetRef;
    expect(kinds).toEqual(expect.arrayContaining([`${kind} ${name}`, `ServiceAccount ${pod.serviceAccountName}`]));
    const generated = KUSTOMIZATION.configMapGenerator.map((each: Node) => ({ configMapRef: { name: each.name } }));
    expect(container.envFrom).toEqual(generated);
  });

  it('D25 call probes and metrics where the service has them: on the management port alone', async () => {
    expect([portOf('http'), portOf('management')].map(String)).toEqual([valueOf('PORT'), valueOf('MANAGEMENT_PORT')]);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.port)).toEqual(['management', 'management', 'management']);
    expect(annotations['prometheus.io/port']).toBe(valueOf('MANAGEMENT_PORT'));
    for (const path of [...probes.map(({ httpGet }) => httpGet.path), annotations['prometheus.io/path']]) {
      expect([path, (await send(scripted.service.managementUrl, path)).status]).toEqual([path, 200]);
    }
    // Readiness would restart replicas that drain.
    expect(container.livenessProbe.httpGet.path).toBe('/health/live');
  });

  it('D87 have room for the heap snapshots of the image, where the root cannot be written', () => {
    const [, folder] = /--diagnostic-dir=([^"]+)/.exec(read('Dockerfile')) ?? [];
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    const mount = container.volumeMounts.find(({ mountPath }: Node) => mountPath === folder);
    const volume = pod.volumes.find(({ name }: Node) => name === mount.name);
    // On disk: bytes in memory would count for the limit of the container.
    expect(volume.emptyDir).toEqual({ sizeLimit: expect.stringMatching(/^[1-9]\d*Gi$/) });
  });
});
