import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { ServiceProcess } from '../faults/support/service-process';
import { startGateway } from '../support/gateway';
import { ChromiumMissing, launchChromium } from './chromium';
import { useGrid } from './grid';
import { DESKTOP, SwaggerPage } from './page-object';
import { PEOPLE_STEPS } from './people.steps';
import { API_KEY, type Step, STEPS } from './swagger-page.steps';

/**
 * Uses the Swagger page of the built service, on its own sandbox, in Chromium, as a visitor would. `--publish` renews the
 * picture in docs/images, `--only` plays the steps whose names contain a text. Exits 1 where a step fails.
 */

const PUBLISHED = join(__dirname, '../../docs/images/swagger-page.png');
const HOST = 'shipping.test';

const BASE_PATH = '/shipping';
const DIGEST = createHash('sha256').update(API_KEY).digest('hex');
const GUARDED = { PUBLIC_BASE_PATH: BASE_PATH, AUTH_API_KEYS_SHA256: DIGEST };

const { values: options } = parseArgs({
  options: { publish: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});

async function main(): Promise<void> {
  const browser = await launchChromium(HOST);
  const service = await ServiceProcess.start({}, { entry: 'dist/main.js' });
  const guarded = await ServiceProcess.start(GUARDED, { entry: 'dist/main.js' });
  const gateway = await startGateway(guarded.url, BASE_PATH);
  const originOf = ({ url }: { readonly url: string }): string => `http://${HOST}:${new URL(url).port}`;
  try {
    const origin = originOf(service);
    let [passed, failed] = [0, 0];
    const report = (name: string, fault: string | undefined): void => {
      if (fault === undefined) passed += 1;
      else failed += 1;
      print(fault === undefined ? `ok     ${name}` : `FAILED ${name}\n${fault}`);
    };
    for (const step of [...STEPS, ...PEOPLE_STEPS]) {
      if (!step.name.includes(options.only)) continue;
      report(step.name, await play(browser, step.isGuarded === true ? originOf(gateway) + BASE_PATH : origin, step));
    }
    for (const [name, fault] of await useGrid(browser)) report(name, fault);
    if (options.publish) await publish(browser, origin);
    print(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await gateway.close();
    await Promise.all([service.kill(), guarded.kill()]);
  }
}

/** Plays a step on a page of its own; what went wrong with it, if anything. */
async function play(browser: Browser, base: string, step: Step): Promise<string | undefined> {
  let swagger: SwaggerPage | undefined;
  try {
    swagger = await SwaggerPage.open(browser, base, step.path, step.device);
    await step.act(swagger);
    return swagger.troubles.length === 0 ? undefined : swagger.troubles.join('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...(swagger?.troubles ?? [])].join('\n');
  } finally {
    await swagger?.page.close();
  }
}

/** The picture has the title and an executed list, without what is between them. */
async function publish(browser: Browser, origin: string): Promise<void> {
  const swagger = await SwaggerPage.open(browser, origin, '/', { ...DESKTOP, viewport: { width: 1200, height: 900 } });
  await swagger.try('getShippingPagedList', { PageSize: '1' });
  await swagger.page.evaluate(`for (const hidden of document.querySelectorAll(
    '.info .description, .scheme-container, .opblock:not(.is-open), .opblock-section, .execute-wrapper, .btn-group, .curl-command, .request-url, .responses-inner > h4, .responses-inner > div > h5',
  )) hidden.style.display = 'none'`);
  await swagger.page.screenshot({ path: PUBLISHED });
  await swagger.page.close();
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
