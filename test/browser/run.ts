import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
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

/** Shorter than usual, so that nobody waits for an external system that never answers. */
const ENVIRONMENT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '2000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '500' };

const ALL_STEPS: readonly Step[] = [...STEPS, ...PAGE_STEPS];

const { values: options } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

async function main(): Promise<void> {
  const browser = await launchChromium(HOST);
  const service = await ServiceProcess.start(ENVIRONMENT, { entry: 'dist/main.js' });
  try {
    const origin = `http://${HOST}:${new URL(service.url).port}`;
    rmSync(SCREENSHOTS, { recursive: true, force: true });
    mkdirSync(SCREENSHOTS, { recursive: true });
    let failed = 0;
    for (const [index, step] of ALL_STEPS.entries()) {
      const fault = await play(browser, origin, step, index + 1);
      if (fault !== undefined) failed += 1;
      print(`${fault === undefined ? 'ok' : 'FAILED'}  ${step.name}${fault === undefined ? '' : `\n${fault}`}`);
    }
    if (options.publish) await publish(browser, origin);
    print(`${ALL_STEPS.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await service.kill();
  }
}

/** Plays a step on a page of its own; what went wrong with it, if anything. */
async function play(browser: Browser, origin: string, step: Step, number: number): Promise<string | undefined> {
  const swagger = await SwaggerPage.open(browser, origin, step.path, step.view);
  try {
    await step.act(swagger);
    const troubles = swagger.troublesBut(step.expectedStatus);
    return troubles.length === 0 ? undefined : troubles.join('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...swagger.troubles].join('\n');
  } finally {
    const name = `${String(number).padStart(2, '0')} ${step.name}`.replace(/[^A-Za-z0-9]+/g, '-');
    await swagger.screenshot(join(SCREENSHOTS, `${name}.png`), step.operationId);
    await swagger.close();
  }
}

async function publish(browser: Browser, origin: string): Promise<void> {
  const swagger = await SwaggerPage.open(browser, origin);
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
