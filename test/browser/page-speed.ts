import { parseArgs } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { ServiceProcess } from '../faults/support/service-process';
import { launchChromium } from './chromium';

/**
 * Measures how fast the Swagger page is: bytes transferred, and milliseconds until the first operation is visible, with an
 * empty cache and with a filled one. Several builds are measured in turns; prints their medians.
 *
 *     node -r ./test/support/register-swc.js test/browser/page-speed.ts --build before=<dist> --build after=dist
 */

const HOST = 'shipping.test';
const VIEWPORT = { width: 1200, height: 900 };
/** In the page, before its scripts: notes the frame in which the element that a selector finds is there first. */
const watch = (selector: string): string => `{
  const look = () => {
    if (document.querySelector('${selector}') === null) requestAnimationFrame(look);
    else (globalThis.seenAt ??= {})['${selector}'] = performance.now();
  };
  requestAnimationFrame(look);
}`;
/** In the page: that time, and not before the first paint, which is noted with its end. */
const timeOf = (selector: string): string =>
  `Math.max(seenAt['${selector}'], performance.getEntriesByName('first-contentful-paint')[0].startTime)`;
const LISTED = '.opblock';
const USABLE = 'button.opblock-summary-control';

interface Visit {
  readonly bytes: number;
  readonly visibleMs: number;
  /** When Swagger UI had replaced the list of the page. */
  readonly usableMs: number;
}

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', multiple: true, default: ['now=dist'] },
    rounds: { type: 'string', default: '9' },
  },
});

async function main(): Promise<void> {
  const browser = await launchChromium(HOST);
  const services: ServiceProcess[] = [];
  try {
    const visits = new Map<string, Visit[]>();
    const origins: [name: string, origin: string][] = [];
    for (const build of options.build) {
      const [name = '', dist = ''] = build.split('=');
      const service = await ServiceProcess.start({}, { entry: `${dist}/main.js` });
      services.push(service);
      origins.push([name, `http://${HOST}:${new URL(service.url).port}`]);
    }
    // The first round fills the caches of the service and of the disk, and does not count.
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      for (const [name, origin] of origins) {
        const [cold, warm] = await visitTwice(browser, origin);
        if (round === 0) continue;
        keep(visits, `${name}, empty cache`, cold);
        keep(visits, `${name}, filled cache`, warm);
      }
    }
    print('| visit | transferred, KiB | first operation visible, ms | Swagger UI ready, ms |\n|---|---|---|---|');
    for (const [name, made] of [...visits].sort()) {
      const kibibytes = (median(made.map(({ bytes }) => bytes)) / 1024).toFixed(1);
      const visible = median(made.map(({ visibleMs }) => visibleMs)).toFixed(0);
      const usable = median(made.map(({ usableMs }) => usableMs)).toFixed(0);
      print(`| ${name} | ${kibibytes} | ${visible} | ${usable} |`);
    }
  } finally {
    await browser.close();
    for (const service of services) await service.kill();
  }
}

async function visitTwice(browser: Browser, origin: string): Promise<[cold: Visit, warm: Visit]> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    return [await visit(context, origin), await visit(context, origin)];
  } finally {
    await context.close();
  }
}

async function visit(context: BrowserContext, origin: string): Promise<Visit> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  await page.addInitScript(watch(LISTED) + watch(USABLE));
  await page.goto(`${origin}/docs`, { waitUntil: 'commit' });
  await page.locator(USABLE).first().waitFor();
  await page.waitForLoadState('networkidle');
  const visibleMs: number = await page.evaluate(timeOf(LISTED));
  const usableMs: number = await page.evaluate(timeOf(USABLE));
  await page.close();
  return { bytes, visibleMs, usableMs };
}

function keep(visits: Map<string, Visit[]>, name: string, visit: Visit): void {
  visits.set(name, [...(visits.get(name) ?? []), visit]);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
