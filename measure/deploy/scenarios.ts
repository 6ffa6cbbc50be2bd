import { checkEqual, checkThat, checkWithin, say, STATE_MS, until } from '../checks';
import { Load, summary } from '../load';
import { imageOf, NETWORK, REPLICAS, type Stack, VERSION } from './stack';

const [FIRST, , LAST] = REPLICAS;
/**
 * The rate is low enough for a busy machine. Fewer requests are in progress than the 256 of one address, beyond which the
 * balancer responds 429.
 */
const LOAD = { ratePerSecond: 30, maxInFlight: 200, path: '/api/Shipping/GetShippingPagedList?PageSize=20' };

/** What happens to the started compose file under load, while no request may fail. */
export async function playScenarios(stack: Stack): Promise<void> {
  const { engine } = stack;
  await underLoad(stack, 'a replica that was missing at the start of the balancer is started', async () => {
    await engine.docker('start', LAST);
    await stack.expectPart(LAST);
  });
  await underLoad(stack, 'all replicas get other addresses, one after the other', async () => {
    for (const replica of REPLICAS) await move(stack, replica);
  });
  await underLoad(stack, 'a replica is killed (SIGKILL), and started again by the engine', async () => {
    await restart(stack, 'KILL');
  });
  // Where two of three hang, and a busy machine makes the third late for its check, requests fail: they try those that hang.
  await underLoad(stack, 'a replica hangs (SIGSTOP), and its health check restarts it', async () => {
    await restart(stack, 'STOP');
  });
  await underLoad(stack, 'deploy/upgrade.sh brings a version that does not start, and then another one', async () => {
    await tag(stack, 'broken', 'ENV PORT=none');
    await tag(stack, 'next', 'LABEL version=next');
    const output = await stack.upgrade('broken', '12');
    await expectVersions(stack, ['broken', VERSION, VERSION]);
    checkThat('a version that does not start is named', output.includes('service-1 is not healthy'), output);
    await stack.upgrade('next', String(STATE_MS / 1000));
    await expectVersions(stack, ['next', 'next', 'next']);
  });
}

/** Sends a signal to the service of the first replica, and waits until it is started again and takes part. */
async function restart(stack: Stack, signal: 'KILL' | 'STOP'): Promise<void> {
  const restarts = (): Promise<string> => stack.engine.inspect(FIRST, '.RestartCount');
  const before = await restarts();
  // Process 1 is the init of Docker, and the service is its child.
  await stack.engine.shell(FIRST, `kill -${signal} $(cat /proc/1/task/1/children)`);
  await checkWithin('it is restarted', async () => (await restarts()) !== before);
  await stack.expectPart(FIRST);
}

/** Plays a scenario under load that begins before it and ends after it. */
async function underLoad({ url }: Stack, name: string, play: () => Promise<void>): Promise<void> {
  say(`\n${name}`);
  const load = new Load(url, LOAD);
  load.start();
  await served(load);
  await play();
  await served(load);
  await load.stop();
  const failed = load.outcomes.filter(({ status, what }) => status !== 200 || what !== 'complete');
  checkThat(`all responses are complete: ${summary(load.outcomes)}`, failed.length === 0, summary(failed));
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
