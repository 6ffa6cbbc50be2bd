import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { workload } from '../../test/deploy/support/manifests';
import { until } from '../checks';

/** What is read of a container in the manifest. */
interface ContainerSpec {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

/** How the service runs in its container, as the Dockerfile and the manifest for Kubernetes describe it. */
export interface Container {
  /** The major version of Node in the image. */
  readonly nodeMajor: string;
  /** Flags of Node. */
  readonly nodeOptions: string;
  /** The variables of the image. */
  readonly env: Readonly<Record<string, string>>;
  /** The command of the image, run by the Node of this process. */
  readonly command: [string, ...string[]];
  /** The limit of memory, and whether it is enforced. */
  readonly limit: string;
  readonly remove: () => Promise<unknown>;
}

/**
 * The two versions of control groups of Linux: where they are mounted, the line with the group of this process in
 * /proc/self/cgroup, and the file with the limit. Only the first version was tried.
 */
const VERSIONS = [
  ['/sys/fs/cgroup/memory', /^\d+:memory:(.*)$/m, 'memory.limit_in_bytes'],
  ['/sys/fs/cgroup', /^0::(.*)$/m, 'memory.max'],
] as const;

/**
 * Reads how the container runs, and makes a control group with its limit of memory where this process may: V8 sizes its
 * young generation by the limit, and the kernel ends a process beyond it.
 */
export function makeContainer(): Container {
  const dockerfile = read('Dockerfile');
  const [, nodeMajor = ''] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(dockerfile) ?? [];
  const [, command = '[]'] = /^CMD (.*)$/m.exec(dockerfile) ?? [];
  const program = [process.execPath, ...(JSON.parse(command) as string[]).slice(1)] as [string, ...string[]];
  const { env, resources } = workload().container as ContainerSpec;
  const variables = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const imageEnv = Object.fromEntries(variables.map((each) => each.split('=') as [string, string]));
  const { value: nodeOptions = '' } = env.find(({ name }) => name === 'NODE_OPTIONS') ?? {};
  const { memory } = resources.limits;
  const group = makeGroup(parseInt(memory) * 1024 ** 2);
  const limit = `limit of ${memory}`;
  if (group === undefined) {
    return {
      nodeMajor,
      nodeOptions,
      env: imageEnv,
      command: program,
      limit: `no control group for the ${limit}`,
      remove: () => Promise.resolve(),
    };
  }
  return {
    nodeMajor,
    nodeOptions,
    env: imageEnv,
    // The shell enters the group and then becomes the service, so that all memory of the service is counted.
    command: ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs'), ...program],
    limit: `a control group with the ${limit}`,
    // The kernel needs a moment after the last process of the group has ended.
    remove: () => until(() => isRemoved(group), 5000),
  };
}

/** Makes a control group below that of this process, and returns its folder. */
function makeGroup(bytes: number): string | undefined {
  const groups = readFileSync('/proc/self/cgroup', 'utf8');
  for (const [mount, own, limit] of VERSIONS) {
    const folder = join(mount, own.exec(groups)?.[1] ?? '', `shipping-memory-${process.pid}`);
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, limit), String(bytes), { flag: 'r+' });
      return folder;
    } catch {
      // There is no such version or no right to make a group, or the groups at this place have no limit of memory.
      if (existsSync(folder)) rmdirSync(folder);
    }
  }
  return undefined;
}

function isRemoved(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}
