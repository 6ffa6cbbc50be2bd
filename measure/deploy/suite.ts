import { read } from '../../test/deploy/support/files';
import { check, checkThat, runProgram } from '../checks';
import { Engine } from './engine';
import { checkSilentNames } from './names';
import { playScenarios } from './scenarios';
import { buildImages, REPLICAS, Stack } from './stack';
import { checkUnit } from './unit';

/**
 * Runs what is shipped as it is used: builds the image, starts the compose file, boots the unit. Needs root and Debian's
 * container engine, and fails without them. Exits with 1 where something is not as it has to be.
 */

const [FIRST, , LAST] = REPLICAS;

async function main(): Promise<void> {
  const engine = await Engine.start();
  await buildImages(engine);
  const stack = new Stack(engine);
  await Promise.all([checkUnit(engine), check('compose starts', () => stack.start())]);
  await checkRights(stack);
  await checkTargets(engine);
  const shown = await engine.shell(FIRST, 'node dist/tools/check-external/main.js show');
  checkThat('the check of the runbook reaches the external system', shown.includes('status 200'), shown);
  // The balancer starts without a replica, which the first scenario starts.
  await engine.docker('stop', LAST);
  await engine.docker('restart', 'balancer');
  await stack.untilHealthy('balancer');
  await playScenarios(stack);
  await checkSilentNames(engine);
}

/** What a container may do that the compose file started, as the kernel sees it. */
async function checkRights({ engine }: Stack): Promise<void> {
  for (const service of [LAST, 'balancer', 'redis', 'sandbox']) {
    const status = await engine.shell(service, 'cat /proc/self/status');
    const values = ['CapEff', 'NoNewPrivs'].map((name) => new RegExp(`${name}:\\s+(\\w+)`).exec(status)?.[1]).join();
    const written = await engine.shell(service, 'touch /written').catch(String);
    const isHardened = /^0+,1$/.test(values) && !/^Uid:\s+0\s/m.test(status) && written.includes('Read-only');
    checkThat(`${service} has no rights and writes nothing`, isHardened, `${values} ${written}`);
  }
}

/** What the runbook has Prometheus scrape, from another container of the network. */
async function checkTargets(engine: Engine): Promise<void> {
  for (const [target] of read('docs/alerts.md').matchAll(/(?<=')(?:service-\d|balancer):\d+(?=')/g)) {
    const metrics = await engine.shell('redis', `wget -qO- http://${target}/metrics`).catch(String);
    checkThat(`${target} has metrics`, metrics.includes('# TYPE'), metrics.slice(0, 500));
  }
}

void runProgram(main);
