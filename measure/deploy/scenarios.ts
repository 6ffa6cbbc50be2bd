import { checkEqual, checkNone, checkThat, checkWithin, say, STATE_MS, until } from '../checks';
import { Load, type Outcome, summary } from '../load';
import { imageOf, NETWORK, REPLICAS, type Stack, VERSION } from './stack';

/** Something that happens to the started compose file under load, in which no request may fail. */
interface Scenario {
  readonly done: string;
  readonly play: (stack: Stack, load: Load) => Promise<unknown>;
}

const [FIRST, , LAST] = REPLICAS;
const OPERATIONS = '/api/Shipping';
/**
 * The rate is low enough for a busy machine. Fewer requests are in progress than the 256 of one address, beyond which the
 * balancer responds 429.
 */
const LOAD = { ratePerSecond: 30, maxInFlight: 200, path: `${OPERATIONS}/GetShippingPagedList?PageSize=20` };
/** The replica that a scenario adds; it has the health check of the image. */
const FURTHER = 'further';

const SCENARIOS: readonly Scenario[] = [
  {
    done: 'a replica that was missing at the start of the balancer is started',
    play: async (stack) => {
      await stack.engine.docker('start', LAST);
      await stack.expectPart(LAST);
    },
  },
  {
    done: 'all replicas get other addresses, one after the other',
    play: async (stack) => {
      for (const replica of REPLICAS) await move(stack, replica);
    },
  },
  {
    // Where two of three hang, and a busy machine makes the third late for its check, requests fail: they try those that hang.
    done: 'a replica hangs (SIGSTOP), and its health check restarts it',
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
    done: 'deploy/upgrade.sh brings a version that does not start, and then another one',
    play: async (stack) => {
      await tag(stack, 'broken', 'ENV PORT=none');
      await tag(stack, 'next', 'LABEL version=next');
      const output = await stack.upgrade('broken', '12');
      await expectVersions(stack, ['broken', VERSION, VERSION]);
      const isNamed = output.includes('service-1 is not healthy');
      checkThat('a version that does not start is named', isNamed, output);
      await stack.upgrade('next', String(STATE_MS / 1000));
      await expectVersions(stack, ['next', 'next', 'next']);
    },
  },
  {
    done: 'a further replica is overloaded',
    play: async (stack) => {
      const { engine } = stack;
      const names = ['--name', FURTHER, '--network', NETWORK, '--network-alias', 'replicas'];
      const settings = { EXTERNAL_SHIPPING_BASE_URL: 'http://sandbox:4000', MANAGEMENT_PORT: '9090' };
      const variables = Object.entries({ ...settings, MAX_ACTIVE_REQUESTS: '1' }).map((pair) => pair.join('='));
      const env = variables.flatMap((variable) => ['--env', variable]);
      await engine.docker('run', '--detach', ...names, ...env, imageOf(VERSION));
      await stack.expectPart(FURTHER);
      const slow = `http://${await engine.address(FURTHER)}:3000${OPERATIONS}/GetShippingDetails?OrderId=SIMULATE-SLOW`;
      const sentToOthers = /"status":200,.*"retries":"\+/g;
      const since = new Date();
      // On a busy machine, none of the balancer's requests may come while it is.
      await checkWithin('its requests are sent to others', async () => {
        await (await fetch(slow)).arrayBuffer();
        return (await stack.logged(sentToOthers, since)) > 0;
      });
      await engine.docker('stop', FURTHER);
    },
  },
  {
    done: 'one operation of the external system fails',
    play: async (stack) => {
      const path = `${OPERATIONS}/GetShippingDetails?OrderId=SIMULATE-RESET`;
      const failing = new Load(stack.url, { ratePerSecond: 10, maxInFlight: 40, path });
      const since = new Date();
      failing.start();
      await served(failing);
      await failing.stop();
      const isRight = ({ strict, status, what }: Outcome): boolean =>
        (strict ? [503, 504].includes(status) : status === 200) && /^(upstream|circuit)-/.test(what);
      const wrong = failing.outcomes.filter((outcome) => !isRight(outcome));
      checkNone(
        'its strict clients get 503 from the service, or 504 where the machine is busy',
        wrong.length === 0 ? [] : [summary(wrong)],
      );
      // On a busy machine, checks may be late, and connections too.
      const taken = /is DOWN, reason: Health analyze(?!.*L4)/g;
      checkEqual('no replica is taken out for its responses', await stack.logged(taken, since), 0);
    },
  },
];

/** Plays the scenarios, each under load that begins before it and ends after it. */
export async function playScenarios(stack: Stack): Promise<void> {
  for (const { done, play } of SCENARIOS) {
    say(`\n${done}`);
    const load = new Load(stack.url, LOAD);
    load.start();
    await served(load);
    await play(stack, load);
    await served(load);
    await load.stop();
    const failed = load.outcomes.filter(({ status, what }) => status !== 200 || what !== 'complete');
    checkThat(`all responses are complete: ${summary(load.outcomes)}`, failed.length === 0, summary(failed));
  }
}

/** Waits until a hundred more requests have ended. */
async function served(load: Load): Promise<void> {
  const before = load.outcomes.length;
  if (await until(() => load.outcomes.length >= before + 100, STATE_MS)) return;
  throw new Error(`only ${load.outcomes.length - before} of 100 requests have ended: ${summary(load.outcomes)}`);
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
  await until(isTaken, STATE_MS, 0);
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
