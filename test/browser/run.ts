import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { check, runProgram } from '../../measure/checks';
import { ServiceProcess } from '../faults/support/service-process';
import { startGateway } from '../support/gateway';
import { launchChromium } from './chromium';
import { useGrid } from './grid';
import { DESKTOP, SwaggerPage } from './page-object';
import { PEOPLE_STEPS } from './people.steps';
import { API_KEY, type Step, STEPS } from './swagger-page.steps';

/**
 * Uses the Swagger page of the built service, on its own sandbox, in Chromium, as a visitor would. `--publish` renews the
 * picture in docs/images, `--only` plays the steps whose names contain a text.
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
    for (const step of [...STEPS, ...PEOPLE_STEPS].filter(({ name }) => name.includes(options.only))) {
      const base = step.isGuarded === true ? originOf(gateway) + BASE_PATH : origin;
      await check(step.name, () => play(browser, base, step));
    }
    await useGrid(browser);
    if (options.publish) await publish(browser, origin);
  } finally {
    await browser.close();
    await gateway.close();
    await Promise.all([service.kill(), guarded.kill()]);
  }
}

/** Plays a step on a page of its own, which must have no troubles. */
async function play(browser: Browser, base: string, step: Step): Promise<void> {
  const swagger = await SwaggerPage.open(browser, base, step.path, step.device);
  try {
    await step.act(swagger);
  } catch (error) {
    throw new Error([String(error), ...swagger.troubles].join('\n'), { cause: error });
  } finally {
    await swagger.page.close();
  }
  assert.deepEqual(swagger.troubles, []);
}

/** The picture has the title and an executed list, without what is between them. */
async function publish(browser: Browser, origin: string): Promise<void> {
  const swagger = await SwaggerPage.open(browser, origin, '/', { ...DESKTOP, viewport: { width: 1200, height: 900 } });
  await swagger.try('getShippingPagedList', { PageSize: '1' });
  await swagger.page.evaluate(`for (const hidden of document.querySelectorAll(
    '.info .description, .scheme-container, .opblock:not(.is-open), .opblock-section, .execute-wrapper, .btn-group, .curl-command, .request-url, .responses-inner > h4, .responses-inner > div > h5',
  )) hidden.style.display = 'none'`);
  await swagger.page.screenshot({ path: PUBLISHED, animations: 'disabled' });
  await swagger.page.close();
}

void runProgram(main);
