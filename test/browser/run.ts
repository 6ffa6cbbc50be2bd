import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { ServiceProcess } from '../faults/support/service-process';
import { ChromiumMissing, launchChromium } from './chromium';
import { type Step, STEPS } from './steps';
import { SwaggerPage } from './swagger-page';

/**
 * Uses the Swagger page of the built service, on its own sandbox, in Chromium, as a visitor would. `--publish` renews the
 * picture in docs/images. Exits 1 where a step fails.
 */

const PUBLISHED = join(__dirname, '../../docs/images/swagger-page.png');
const HOST = 'shipping.test';

/** Shorter than usual, so that nobody waits for an external system that never responds. */
const ENVIRONMENT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '6000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '2500' };

const { values: options } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

async function main(): Promise<void> {
  const browser = await launchChromium(HOST);
  const service = await ServiceProcess.start(ENVIRONMENT, { entry: 'dist/main.js' });
  try {
    const origin = `http://${HOST}:${new URL(service.url).port}`;
    let failed = 0;
    for (const step of STEPS) {
      const fault = await play(browser, origin, step);
      if (fault !== undefined) failed += 1;
      print(fault === undefined ? `ok     ${step.name}` : `FAILED ${step.name}\n${fault}`);
    }
    if (options.publish) await publish(browser, origin);
    print(`${STEPS.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await service.kill();
  }
}

/** Plays a step on a page of its own; what went wrong with it, if anything. */
async function play(browser: Browser, origin: string, step: Step): Promise<string | undefined> {
  let swagger: SwaggerPage | undefined;
  try {
    swagger = await SwaggerPage.open(browser, origin, step.path, step.viewport);
    await step.act(swagger);
    return swagger.troubles.length === 0 ? undefined : swagger.troubles.join('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...(swagger?.troubles ?? [])].join('\n');
  } finally {
    await swagger?.page.close();
  }
}

async function publish(browser: Browser, origin: string): Promise<void> {
  const { page } = await SwaggerPage.open(browser, origin, '/', { width: 1200, height: 720 });
  await page.evaluate("document.querySelector('.opblock-tag-section').scrollIntoView()");
  await page.screenshot({ path: PUBLISHED });
  await page.close();
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
