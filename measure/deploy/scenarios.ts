import { until } from '../checks';
import type { Scenario } from '../scenario';
import { imageOf, REPLICAS, type Stack, VERSION } from './stack';

const WAIT_MS = 90_000;
const [FIRST, , LAST] = REPLICAS;

/** What happens to the started compose file under load. */
export const SCENARIOS: readonly Scenario<Stack>[] = [
  {
    done: 'a replica that was missing at the start of the balancer is started',
    holds: 'no failed response, and it takes part',
    play: async (stack) => {
      await stack.docker('start', LAST);
      await stack.expectPart(LAST);
    },
  },
  {
    done: 'all replicas get other addresses, one after the other',
    holds: 'no failed response',
    play: async (stack) => {
      for (const replica of REPLICAS) await move(stack, replica);
    },
  },
  {
    done: 'a replica hangs (SIGSTOP)',
    holds: 'no failed response, and its health check restarts it',
    mayBeLate: true,
    play: async (stack) => {
      const before = await stack.restarts(FIRST);
      // Process 1 is the init of Docker, and the service is its child.
      await stack.exec(FIRST, 'sh', '-c', 'kill -STOP $(cat /proc/1/task/1/children)');
      await stack.checks.within('it is restarted', async () => (await stack.restarts(FIRST)) > before);
      await stack.expectPart(FIRST);
    },
  },
  {
    done: 'deploy/upgrade.sh brings a version that does not start, goes back, and brings another one',
    holds: 'no failed response',
    play: async (stack) => {
      await tag(stack, 'broken', 'ENV PORT=none');
      await tag(stack, 'next', 'LABEL version=next');
      const output = await stack.upgrade('broken', '12');
      await expectVersions(stack, ['broken', VERSION, VERSION]);
      const isNamed = output.includes('service-1 is not healthy');
      stack.checks.expect('a version that does not start is named', isNamed, output);
      for (const version of [VERSION, 'next']) {
        await stack.upgrade(version);
        await expectVersions(stack, [version, version, version]);
      }
    },
  },
  {
    done: 'the balancer reloads its configuration',
    holds: 'no failed response',
    play: (stack) =>
      stack.expectLogged('the former worker ends with 0', /exited with code 0/g, () =>
        stack.docker('kill', 'balancer', '--signal', 'USR2'),
      ),
  },
];

/** Stops a replica, and starts it when another container has its address. */
async function move(stack: Stack, replica: string): Promise<void> {
  const [before, network] = [await stack.address(replica), await stack.network()];
  await stack.docker('stop', replica);
  const code = await stack.inspect(replica, '.State.ExitCode');
  const others: string[] = [];
  const isTaken = async (): Promise<boolean> => {
    const other = await stack.engine.docker('run', '--detach', '--network', network, 'stand-in', 'sleep', '600');
    others.push(other);
    return (await stack.engine.address(other)) === before;
  };
  await until(isTaken, WAIT_MS, 0);
  await stack.docker('start', replica);
  await stack.engine.docker('rm', '--force', ...others);
  const after = await stack.address(replica);
  const found = `${code}, ${before} and ${after}`;
  stack.checks.expect(`${replica} ends with 0 and gets another address`, code === '0' && after !== before, found);
  await stack.expectPart(replica);
}

async function expectVersions(stack: Stack, expected: readonly string[]): Promise<void> {
  const images = await Promise.all(REPLICAS.map((replica) => stack.inspect(replica, '.Config.Image')));
  const found = images.join();
  stack.checks.expect(`the replicas have ${expected.join()}`, found === expected.map(imageOf).join(), found);
}

/** Makes another version of the shipped image. */
async function tag({ engine }: Stack, version: string, line: string): Promise<void> {
  const build = `printf 'FROM ${imageOf(VERSION)}\n${line}\n' | docker build --quiet --tag ${imageOf(version)} -`;
  await engine.run('sh', ['-c', build]);
}
