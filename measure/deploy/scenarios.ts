import { type Checks, until } from '../checks';
import type { Scenario } from '../scenario';
import type { Engine } from './engine';
import { imageOf, REPLICAS, type Stack, VERSION } from './stack';

const RESTART_MS = 90_000;
const [FIRST, , LAST] = REPLICAS;

/** What happens to the started compose file under load. */
export function scenariosOf(engine: Engine, stack: Stack, checks: Checks): readonly Scenario[] {
  const expectPart = async (replica: string): Promise<void> => {
    await stack.untilHealthy(replica);
    checks.expect(`${replica} takes part`, await stack.takesPart(replica), 'it does not');
  };
  const versions = async (): Promise<string> =>
    (await Promise.all(REPLICAS.map((replica) => stack.inspect(replica, '.Config.Image')))).join();
  const expectVersion = async (version: string): Promise<void> => {
    const found = await versions();
    checks.expect(`all replicas have ${version}`, found === REPLICAS.map(() => imageOf(version)).join(), found);
  };
  return [
    {
      done: 'a replica that was missing at the start of the balancer is started',
      holds: 'no failed response, and it takes part',
      play: async () => {
        await stack.docker('start', LAST);
        await expectPart(LAST);
      },
    },
    {
      done: 'all replicas get other addresses, one after the other',
      holds: 'no failed response',
      play: async () => {
        for (const replica of REPLICAS) await expectPart(await moved(engine, stack, checks, replica));
      },
    },
    {
      done: 'a replica hangs (SIGSTOP)',
      holds: 'no failed response, and its health check restarts it',
      mayBeLate: true,
      play: async () => {
        const before = await stack.restarts(FIRST);
        await stack.exec(FIRST, 'sh', '-c', 'kill -STOP $(cat /proc/1/task/1/children)');
        const isRestarted = await until(async () => (await stack.restarts(FIRST)) > before, RESTART_MS, 500);
        checks.expect('it is restarted', isRestarted, 'it is not');
        await expectPart(FIRST);
      },
    },
    {
      done: 'deploy/upgrade.sh brings a version that does not start, another one, and then the one before',
      holds: 'no failed response; the first is stopped at its first replica',
      play: async () => {
        await tagged(engine, 'broken', ['ENV PORT=none']);
        await tagged(engine, 'next', ['LABEL version=next']);
        const outcome = await stack.upgrade('broken', '12');
        const images = [imageOf('broken'), imageOf(VERSION), imageOf(VERSION)].join();
        const found = await versions();
        const isStopped = outcome.includes('service-1 is not healthy') && found === images;
        checks.expect('the version that does not start stays at its first replica', isStopped, `${found} ${outcome}`);
        for (const version of ['next', VERSION]) {
          await stack.upgrade(version);
          await expectVersion(version);
        }
      },
    },
    {
      done: 'the balancer reloads its configuration',
      holds: 'no failed response',
      play: async () => {
        const ended = async (): Promise<number> =>
          (await stack.logs('balancer')).split('exited with code 0').length;
        const before = await ended();
        await stack.docker('kill', 'balancer', '--signal', 'USR2');
        const hasReloaded = await until(async () => (await ended()) > before, RESTART_MS, 250);
        checks.expect('the former worker ends with 0', hasReloaded, 'it does not');
      },
    },
  ];
}

/** Stops a replica, and starts it when another container has its address. */
async function moved(engine: Engine, stack: Stack, checks: Checks, replica: string): Promise<string> {
  const before = await stack.address(replica);
  const network = await stack.inspect(replica, 'range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end');
  await stack.docker('stop', replica);
  const code = await stack.inspect(replica, '.State.ExitCode');
  const other = await engine.docker('run', '--detach', '--network', network, 'stand-in', 'sleep', '600');
  await stack.docker('start', replica);
  await engine.docker('rm', '--force', other);
  const after = await stack.address(replica);
  checks.expect(`${replica} ends with 0 and has another address`, code === '0' && after !== before, `${code} ${after}`);
  return replica;
}

/** Makes another version of the shipped image. */
async function tagged(engine: Engine, version: string, lines: readonly string[]): Promise<void> {
  const dockerfile = [`FROM ${imageOf(VERSION)}`, ...lines].join('\n');
  await engine.run('sh', ['-c', `echo "$TEXT" | docker build --quiet --tag ${imageOf(version)} -`], { TEXT: dockerfile });
}
