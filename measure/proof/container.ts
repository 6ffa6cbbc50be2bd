import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pairsIn, read } from '../../test/deploy/support/files';
import { workload } from '../../test/deploy/support/manifests';

/** What is read of a container in the manifest. */
interface ContainerSpec {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

/** How the service runs in its container, as the Dockerfile and the manifest for Kubernetes describe it. */
export interface Container {
  /** The major version of Node in the image. */
  readonly nodeMajor: string;
  /** The variables of the image, and the flags of Node. */
  readonly env: Readonly<Record<'NODE_OPTIONS', string>>;
  /** The command of the image, run by the Node of this process. */
  readonly command: [string, ...string[]];
  /** The limit of memory, and whether it is enforced. */
  readonly limit: string;
}

/**
 * Reads how the container runs, and makes a control group with its limit of memory where this process may: V8 sizes its
 * young generation by the limit, and the kernel ends a process beyond it.
 */
export function makeContainer(): Container {
  const dockerfile = read('Dockerfile');
  const argumentsOf = (line: RegExp): string => line.exec(dockerfile)?.[1] ?? '';
  const variables = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const { env, resources } = workload().container as ContainerSpec;
  const { memory } = resources.limits;
  const group = makeGroup(parseInt(memory) * 1024 ** 2);
  const [, ...entry] = JSON.parse(argumentsOf(/^CMD (.*)$/m)) as string[];
  // The shell enters the group and then becomes the service, so that all memory of the service is counted.
  const enter = ['-c', 'echo $$ > "$0" && exec "$@"', join(group ?? '', 'cgroup.procs'), process.execPath];
  return {
    nodeMajor: argumentsOf(/^ARG NODE_IMAGE=node:(\d+)/m),
    env: { ...pairsIn(variables), NODE_OPTIONS: env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '' },
    command: group === undefined ? [process.execPath, ...entry] : ['sh', ...enter, ...entry],
    limit: `${group === undefined ? 'no' : 'a'} control group with the limit of ${memory}`,
  };
}

/**
 * Makes a control group below that of this process, and returns its folder; this process removes it at its end. The
 * second version of control groups has no limits below a group with processes.
 */
function makeGroup(bytes: number): string | undefined {
  const [, own = ''] = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  const folder = join('/sys/fs/cgroup/memory', own, `shipping-memory-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.limit_in_bytes'), String(bytes));
    // The kernel needs a moment after the last process of the group has ended.
    process.once('exit', () => spawnSync('sh', ['-c', `sleep 1; rmdir ${folder}`]));
    return folder;
  } catch {
    // There are no groups of the first version, or this process may make none.
    return undefined;
  }
}
