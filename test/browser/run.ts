import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { ServiceProcess } from '../faults/support/service-process';
import { ChromiumMissing, launchChromium } from './chromium';
import { PAGE_STEPS } from './page-steps';
import { STEPS } from './steps';
import type { Step } from './step';
import { SwaggerPage } from './swagger-page';

/**
 * Uses the Swagger page of the built service, on its own sandbox, in Chromium, as a visitor would. Each step leaves a
 * screenshot in `artifacts/browser/`; `--publish` renews the one in docs/images. Exits 1 where a step fails.
 */

const ROOT = join(__dirname, '../..');
const SCREENSHOTS = join(ROOT, 'artifacts/browser');
const PUBLISHED = join(ROOT, 'docs/images/swagger-page.png');
const HOST = 'shipping.test';
/** Pages side by side; a third one fills the waits of two. */
const PAGES = 3;
const MOST_TIMES = 3;
const REFUSED = 'status: 503';

/** Shorter than usual, so that nobody waits for an external system that never answers. */
const ENVIRONMENT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '6000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '2500' };

const ALL_STEPS: readonly Step[] = [...STEPS, ...PAGE_STEPS];

const { values: options } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

async function main(): Promise<void> {
  const browser = await launchChromium(HOST);
  const service = await ServiceProcess.start(ENVIRONMENT, { entry: 'dist/main.js' });
  try {
    const origin = `http://${HOST}:${new URL(service.url).port}`;
    rmSync(SCREENSHOTS, { recursive: true, force: true });
    mkdirSync(SCREENSHOTS, { recursive: true });
    const failed = await playAll(browser, origin, service);
    if (options.publish) await publish(browser, origin);
    print(`${ALL_STEPS.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await service.kill();
  }
}

/** Plays all steps, some side by side; how many failed. */
async function playAll(browser: Browser, origin: string, service: ServiceProcess): Promise<number> {
  const waiting = [...ALL_STEPS.entries()];
  let failed = 0;
  const playInTurn = async (): Promise<void> => {
    const context = await browser.newContext();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, step] = next;
      const startedAt = performance.now();
      const fault = await playUndisturbed(service, () => play(context, origin, step, index + 1));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      if (fault !== undefined) failed += 1;
      print(`${fault === undefined ? 'ok    ' : 'FAILED'} ${seconds.padStart(5)} s  ${step.name}`);
      if (fault !== undefined) print(fault);
    }
    await context.close();
  };
  await Promise.all(Array.from({ length: PAGES }, playInTurn));
  return failed;
}

/** Plays a step again, once the service accepts requests, where it refused some because the machine made it late. */
async function playUndisturbed(
  service: ServiceProcess,
  playOnce: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const refusals = (): number => service.log.filter(({ problem }) => problem === 'overloaded').length;
  let fault: string | undefined;
  for (let times = 0; times < MOST_TIMES; times += 1) {
    const before = refusals();
    fault = await playOnce();
    // The line of the log may come after the response.
    if (fault === undefined || (refusals() === before && !fault.includes(REFUSED))) break;
    await untilAccepting(service.url);
  }
  return fault;
}

async function untilAccepting(url: string): Promise<void> {
  while ((await fetch(`${url}/docs`)).status === 503) await setTimeout(100);
}

/** Plays a step on a page of its own; what went wrong with it, if anything. */
async function play(context: BrowserContext, origin: string, step: Step, number: number): Promise<string | undefined> {
  let swagger: SwaggerPage | undefined;
  try {
    swagger = await SwaggerPage.open(context, origin, step.path, step.view);
    await step.act(swagger);
    const troubles = swagger.troublesBut(step.expectedStatus);
    return troubles.length === 0 ? undefined : troubles.join('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...(swagger?.troubles ?? [])].join('\n');
  } finally {
    const name = `${String(number).padStart(2, '0')} ${step.name}`.replace(/[^A-Za-z0-9]+/g, '-');
    await swagger?.screenshot(join(SCREENSHOTS, `${name}.png`), step.operationId);
    await swagger?.close();
  }
}

async function publish(browser: Browser, origin: string): Promise<void> {
  const swagger = await SwaggerPage.open(await browser.newContext(), origin);
  await swagger.page.setViewportSize({ width: 1200, height: 720 });
  mkdirSync(join(PUBLISHED, '..'), { recursive: true });
  await swagger.screenshot(PUBLISHED);
  await swagger.close();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  print(error instanceof ChromiumMissing || !(error instanceof Error) ? String(error) : (error.stack ?? error.message));
  print('0 passed, 1 failed');
  // The service ends with its channel to this process.
  process.exit(1);
});
