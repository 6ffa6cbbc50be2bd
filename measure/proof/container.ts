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

/*
 * How the service runs in its container, as the Dockerfile and the manifest for Kubernetes describe it, in a control group
 * with its limit of memory where this process may make one: V8 sizes its young generation by the limit, and the kernel
 * ends a process beyond it.
 */

const DOCKERFILE = read('Dockerfile');
const { env, resources } = workload().container as ContainerSpec;
const group = makeGroup(parseInt(resources.limits.memory) * 1024 ** 2);

/** The limit of memory, and whether it is enforced. */
export const LIMIT = `${group === undefined ? 'no' : 'a'} control group with the limit of ${resources.limits.memory}`;

/** The major version of Node in the image. */
export const [, NODE_MAJOR = ''] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(DOCKERFILE) ?? [];

/** The variables of the image, and the flags of Node. */
const variables = [...DOCKERFILE.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
const NODE_OPTIONS = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
export const ENV = { ...pairsIn(variables), NODE_OPTIONS };

/** The command of the image, run by the Node of this process. */
const [, ...entry] = JSON.parse(/^CMD (.*)$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[];
// The shell enters the group and then becomes the service, so that all memory of the service is counted.
const enter = ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group ?? '', 'cgroup.procs')] as const;
const ofThisNode = [process.execPath, ...entry] as const;
export const COMMAND = group === undefined ? ofThisNode : ([...enter, ...ofThisNode] as const);

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
