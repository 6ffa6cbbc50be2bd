import autocannon from 'autocannon';
import { check, checkEqual, checkThat, checkWithin, runProgram, until } from '../checks';
import { playUnderLoad, type Scenario } from '../scenario';
import { Engine } from './engine';
import { checkSignals } from './signals';
import { buildImages, imageOf, NETWORK, REPLICAS, Stack, VERSION } from './stack';
import { checkUnit } from './unit';

/**
 * Runs what is shipped as it is used: builds the image, starts the compose file, boots the unit. Needs root and Debian's
 * container engine, and fails without them. Exits with 1 where something is not as it has to be.
 */

const MAX_MEBIBYTES = 480;
const WAIT_MS = 90_000;
const [FIRST, , LAST] = REPLICAS;

/** What happens to the started compose file under load. */
const SCENARIOS: readonly Scenario<Stack>[] = [
  {
    done: 'a replica that was missing at the start of the balancer is started',
    holds: 'no failed response, and it takes part',
    play: async (stack) => {
      await stack.engine.docker('start', LAST);
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
      const restarts = (): Promise<string> => stack.engine.inspect(FIRST, '.RestartCount');
      const before = await restarts();
      // Process 1 is the init of Docker, and the service is its child.
      await stack.engine.shell(FIRST, 'kill -STOP $(cat /proc/1/task/1/children)');
      await checkWithin('it is restarted', async () => (await restarts()) !== before);
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
      checkThat('a version that does not start is named', isNamed, output);
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
        stack.engine.docker('kill', '--signal', 'USR2', 'balancer'),
      ),
  },
];

async function main(): Promise<void> {
  const engine = await Engine.start();
  await buildImages(engine);
  const stack = new Stack(engine);
  await Promise.all([checkUnit(engine), check('compose starts', () => stack.start())]);
  await checkRights(stack);
  // The balancer starts without a replica, which the first scenario starts.
  await engine.docker('stop', LAST);
  await engine.docker('restart', 'balancer');
  await stack.untilHealthy('balancer');
  for (const scenario of SCENARIOS) await playUnderLoad(stack, scenario);
  await checkMemory(engine);
  await checkSignals(engine, imageOf(VERSION));
}

/** Stops a replica, and starts it when another container has its address. */
async function move(stack: Stack, replica: string): Promise<void> {
  const { engine } = stack;
  const before = await engine.address(replica);
  await engine.docker('stop', replica);
  const code = await engine.inspect(replica, '.State.ExitCode');
  const others: string[] = [];
  const isTaken = async (): Promise<boolean> => {
    const other = await engine.docker('run', '--detach', '--network', NETWORK, 'stand-in', 'sleep', '600');
    others.push(other);
    return (await engine.address(other)) === before;
  };
  await until(isTaken, WAIT_MS, 0);
  await engine.docker('start', replica);
  await engine.docker('rm', '--force', ...others);
  const after = await engine.address(replica);
  const found = `${code}, ${before} and ${after}`;
  checkThat(`${replica} ends with 0 and gets another address`, code === '0' && after !== before, found);
  await stack.expectPart(replica);
}

async function expectVersions({ engine }: Stack, expected: readonly string[]): Promise<void> {
  const images = await Promise.all(REPLICAS.map((replica) => engine.inspect(replica, '.Config.Image')));
  checkEqual(`the replicas have ${expected.join()}`, images.join(), expected.map(imageOf).join());
}

/** Makes another version of the shipped image. */
async function tag({ engine }: Stack, version: string, line: string): Promise<void> {
  const build = `printf 'FROM ${imageOf(VERSION)}\n${line}\n' | docker build --quiet --tag ${imageOf(version)} -`;
  await engine.run('sh', ['-c', build]);
}

/** What a container may do that the compose file started, as the kernel sees it. */
async function checkRights({ engine, url }: Stack): Promise<void> {
  for (const service of [LAST, 'balancer', 'redis', 'sandbox']) {
    const status = await engine.shell(service, 'cat /proc/self/status');
    const values = ['CapEff', 'NoNewPrivs'].map((name) => new RegExp(`${name}:\\s+(\\w+)`).exec(status)?.[1]).join();
    const written = await engine.shell(service, 'touch /written').catch(String);
    const isHardened = /^0+,1$/.test(values) && !/^Uid:\s+0\s/m.test(status) && written.includes('Read-only');
    checkThat(`${service} has no rights and writes nothing`, isHardened, `${values} ${written}`);
  }
  const { status } = await fetch(`${url}/metrics`);
  checkEqual('the balancer publishes no metrics', status, 404);
  const metrics = await engine.shell('balancer', 'wget -qO- http://127.0.0.1:8404/metrics');
  checkThat('it has metrics inside', metrics.includes('haproxy_server_status'), metrics);
}

/** Many clients that read large pages: more takes `measure/proof/memory.ts`. */
async function checkMemory(engine: Engine): Promise<void> {
  const path = '/api/Shipping/GetShippingPagedList?PageSize=100';
  const requests = Array.from({ length: 20 }, (_, index) => ({ path: `${path}&PageNumber=${index + 1}` }));
  await autocannon({ url: `http://${await engine.address(LAST)}:3000`, connections: 300, duration: 8, requests });
  const status = await engine.shell(LAST, 'cat "/proc/$(cut -d " " -f 1 /proc/1/task/1/children)/status"');
  const mebibytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  const restarts = await engine.inspect(LAST, '.RestartCount');
  const isBounded = mebibytes <= MAX_MEBIBYTES && restarts === '0';
  checkThat(`300 clients: ${mebibytes.toFixed()} MiB at most`, isBounded, `${restarts} restarts`);
}

void runProgram(main);
