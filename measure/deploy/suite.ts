import autocannon from 'autocannon';
import { Checks, runProgram } from '../checks';
import { playUnderLoad } from '../scenario';
import { Engine } from './engine';
import { buildImages, buildUnitImage } from './images';
import { SCENARIOS } from './scenarios';
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
  await buildImages(engine, image);
  await buildUnitImage(engine, image, UNIT_IMAGE);
  const stack = new Stack(checks, engine);
  await Promise.all([checkUnit(engine, UNIT_IMAGE, checks), checks.check('compose starts', () => stack.start())]);
  await checkRights(stack);
  // The balancer starts without a replica, which the first scenario starts.
  await stack.docker('stop', LAST);
  await stack.docker('restart', 'balancer');
  await stack.untilHealthy('balancer');
  for (const scenario of SCENARIOS) await playUnderLoad(stack, scenario);
  await checkMemory(stack);
  await checkSignals(engine, await stack.network(), image, checks);
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

/** Many clients that read large pages: more takes `measure/proof/memory.ts`. */
async function checkMemory(stack: Stack): Promise<void> {
  const path = '/api/Shipping/GetShippingPagedList?PageSize=100';
  const requests = Array.from({ length: 20 }, (_, index) => ({ path: `${path}&PageNumber=${index + 1}` }));
  await autocannon({ url: `http://${await stack.address(LAST)}:3000`, connections: 300, duration: 8, requests });
  const status = await stack.exec(LAST, 'sh', '-c', 'cat "/proc/$(cut -d " " -f 1 /proc/1/task/1/children)/status"');
  const mebibytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  const restarts = await stack.restarts(LAST);
  const isBounded = mebibytes <= MAX_MEBIBYTES && restarts === 0;
  checks.expect(`300 clients: ${mebibytes.toFixed()} MiB at most`, isBounded, `${restarts} restarts`);
}

void runProgram(checks, main);
