import { type Node, pairsIn, read, readYaml } from './files';

const inFolder = (name: string): string => `deploy/kubernetes/${name}`;

export const COMPOSE: Node = readYaml('deploy/compose.yaml')[0];

export const KUSTOMIZATION: Node = readYaml(inFolder('kustomization.yaml'))[0];

/** What `kubectl apply -k` creates. */
export const OBJECTS: readonly Node[] = KUSTOMIZATION.resources.flatMap((name: string) => readYaml(inFolder(name)));

/** What becomes the ConfigMap of the service. */
const LINES: string[] = KUSTOMIZATION.configMapGenerator[0].envs.flatMap((name: string) =>
  read(inFolder(name)).split('\n'),
);
export const SETTINGS = pairsIn(LINES.filter((line) => /^\w+=/.test(line)));

/** The specification of the only object of a kind. */
export function specOf(kind: string): Node {
  const [object, ...others] = OBJECTS.filter((each) => each.kind === kind);
  if (object === undefined || others.length > 0) throw new Error(`${1 + others.length} objects of kind ${kind}`);
  return object.spec;
}

/** The pods, and their container with the image that kustomize names. */
export function workload(): { metadata: Node; pod: Node; container: Node } {
  const { metadata, spec: pod } = specOf('Deployment').template;
  const [container] = pod.containers;
  const image = KUSTOMIZATION.images.find(({ name }: Node) => name === container.image);
  return { metadata, pod, container: { ...container, image: `${container.image}:${image?.newTag}` } };
}
