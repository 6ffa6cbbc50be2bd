import { Agent } from 'undici';
import { Checks, runProgram, say } from '../checks';
import { playUnderLoad } from '../scenario';
import { Engine } from './engine';
import { buildImages, buildUnitImage } from './images';
import { Scenarios } from './scenarios';
import { checkSignals } from './signals';
import { imageOf, REPLICAS, Stack, VERSION } from './stack';
import { checkUnit } from './unit';

/**
 * Runs what is shipped as it is used: builds the image, starts the compose file, boots the unit. Needs root and Debian's
 * container engine, and fails without them. Exits with 1 where something is not as it has to be.
 */

const UNIT_IMAGE = 'unit';
const MAX_MEBIBYTES = 480;
const [, , LAST] = REPLICAS;

const checks = new Checks();

async function main(): Promise<void> {
  const engine = await Engine.start();
  const image = imageOf(VERSION);
  await timed('the images are built', () => buildImages(engine, image));
  const stack = new Stack(engine);
  await timed('the unit runs under systemd, and all of compose is healthy', async () => {
    await buildUnitImage(engine, image, UNIT_IMAGE);
    await Promise.all([checkUnit(engine, UNIT_IMAGE, checks), checks.check('compose starts', () => stack.start())]);
  });
  await checkRights(stack);
  await timed('the balancer starts without a replica', () => startWithoutReplica(stack));
  for (const scenario of new Scenarios(engine, stack, checks).all) {
    await timed('that', () => playUnderLoad(checks, stack, scenario));
  }
  await timed('memory', () => checkMemory(stack));
  await timed('SIGTERM', async () => checkSignals(engine, await stack.network(), image, checks));
}

async function timed(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  say(`(${name}: ${((performance.now() - startedAt) / 1000).toFixed()} s)`);
}

/** What a container may do that the compose file started, as the kernel sees it. */
async function checkRights(stack: Stack): Promise<void> {
  for (const service of [LAST, 'balancer', 'redis', 'sandbox']) {
    const status = await stack.exec(service, 'cat', '/proc/self/status');
    const values = ['CapEff', 'NoNewPrivs'].map((name) => new RegExp(`${name}:\\s+(\\w+)`).exec(status)?.[1]).join();
    const written = await stack.exec(service, 'touch', '/written').catch(String);
    const isHardened = /^0+,1$/.test(values) && !/^Uid:\s+0\s/m.test(status) && written.includes('Read-only');
    checks.expect(`${service} has no rights and writes nothing`, isHardened, `${values} ${written}`);
  }
  const { status } = await fetch(`${stack.url}/metrics`);
  checks.expect('the balancer publishes no metrics', status === 404, String(status));
  const metrics = await stack.exec('balancer', 'wget', '-qO-', 'http://127.0.0.1:8404/metrics');
  checks.expect('it has metrics inside', metrics.includes('haproxy_server_status'), metrics);
}

async function startWithoutReplica(stack: Stack): Promise<void> {
  await stack.docker('stop', LAST);
  await stack.docker('restart', 'balancer');
  await stack.untilHealthy('balancer');
}

/** Many clients that read large pages: more takes `measure/proof/memory.ts`. */
async function checkMemory(stack: Stack): Promise<void> {
  const agent = new Agent({ connections: 300 });
  const path = '/api/Shipping/GetShippingPagedList?PageSize=100';
  const url = `http://${await stack.address(LAST)}:3000`;
  const until = performance.now() + 8000;
  const client = async (): Promise<void> => {
    for (let page = 1; performance.now() < until; page = (page % 20) + 1) {
      const target = { origin: url, path: `${path}&PageNumber=${page}`, method: 'GET' as const };
      await (await agent.request(target)).body.dump();
    }
  };
  await Promise.all(Array.from({ length: 300 }, client));
  await agent.close();
  const status = await stack.exec(LAST, 'sh', '-c', 'cat "/proc/$(cut -d " " -f 1 /proc/1/task/1/children)/status"');
  const mebibytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  const restarts = await stack.restarts(LAST);
  const isBounded = mebibytes <= MAX_MEBIBYTES && restarts === 0;
  checks.expect(`300 clients: ${mebibytes.toFixed()} MiB at most`, isBounded, `${restarts} restarts`);
}

void runProgram(checks, main);
