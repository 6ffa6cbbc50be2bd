import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { check, ROOT } from '../../measure/checks';
import { ServerProcess } from '../../measure/server-process';
import { eventually } from '../../testing/upstream/eventually';
import { run } from '../../tools/run';
import { ServiceProcess } from '../faults/support/service-process';
import { freePort } from '../support/free-port';

/** Kept between runs, so that the packages of the example are downloaded once. */
const FOLDER = join(ROOT, 'reports/grid');
const LIST = '/api/Shipping/GetShippingPagedList';

/** The grid of examples/grid, as its user sees it. */
class Grid {
  readonly requests: Request[] = [];

  private constructor(
    readonly page: Page,
    readonly service: ServiceProcess,
  ) {
    page.on('request', (request) => {
      if (request.url().includes(LIST)) this.requests.push(request);
    });
  }

  static async open(browser: Browser, url: string, service: ServiceProcess): Promise<Grid> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const grid = new Grid(page, service);
    await page.clock.install();
    await page.goto(`${url}/?service=${service.url}`);
    await grid.shows('1 to 20 of 1,908');
    return grid;
  }

  /** Waits until the pager shows a text. */
  async shows(position: string): Promise<void> {
    await this.page.locator('#position', { hasText: position }).waitFor();
  }

  async says(message: string): Promise<void> {
    await this.page.locator('#message', { hasText: message }).waitFor();
  }

  /** The cells of a column, from top to bottom. Rows that are fading out are there, too. */
  async column(field: string): Promise<string[]> {
    const shown = await this.page.evaluate<[number, string][]>(
      `[...document.querySelectorAll('#grid [row-index] [col-id="${field}"]')].map((cell) => [
        Number(cell.closest('[row-index]').getAttribute('row-index')),
        cell.innerText,
      ])`,
    );
    return shown.sort(([one], [other]) => one - other).map(([, text]) => text);
  }

  /** Lets the time of the page pass in which somebody types no more. */
  async type(text: string): Promise<void> {
    await this.page.locator('[name=SearchTerm]').pressSequentially(text);
    await this.page.clock.runFor(300);
  }
}

const STEPS = [
  { name: 'it shows a page, and how many records there are', act: showPage },
  { name: 'D8 it sorts by the three keys and only by them', act: sort },
  { name: 'D20 a failure is no empty list', act: showFailure },
  { name: 'D20 missing records are named', act: showPartial },
  { name: 'an empty list says what to change', act: showEmpty },
  { name: 'without a response it says what may be the cause', act: showUnreachable },
  { name: 'D24 an unchanged page costs a 304, and is not drawn again', act: poll },
];

async function showPage(grid: Grid): Promise<void> {
  assert.equal((await grid.column('id')).length, 20);
  assert.equal(await grid.page.locator('#message').innerText(), '');
  await grid.page.locator('#next').click();
  await grid.shows('21 to 40 of 1,908');
  await grid.page.locator('#previous').click();
  await grid.shows('1 to 20 of 1,908');
}

/** Where the external system orders texts in another way than the grid, its order counts. */
async function sort(grid: Grid): Promise<void> {
  await grid.page.route(/SortBy=/, async (route) => {
    const response = await route.fetch();
    const page = (await response.json()) as { items: object[] };
    await route.fulfill({ response, json: { ...page, items: page.items.reverse() } });
  });
  const header = (field: string) => grid.page.locator(`.ag-header-cell[col-id="${field}"] .ag-header-cell-label`);
  for (const [field, key] of [['trackingNumber', 'TrackingNumber'], ['status', 'Status'], ['createdDate', 'CreatedDate']]) {
    const sorted = grid.page.waitForResponse((response) => response.url().includes(`SortBy=${key}&SortDirection=asc`));
    await header(field ?? '').click();
    const { items } = (await (await sorted).json()) as { items: { id: string }[] };
    const ids = items.map(({ id }) => id).join();
    await eventually('the rows of the response', async () => (await grid.column('id')).join(), ids);
  } // prettier-ignore
  const before = grid.requests.length;
  for (const field of ['id', 'orderId', 'shippingAddress', 'totalWeight']) await header(field).click();
  assert.equal(grid.requests.length, before);
}

async function showFailure(grid: Grid): Promise<void> {
  await grid.type('SIMULATE-RESET');
  await grid.says('This is not an empty result. Not available: the shipping system cannot be reached. Try again after');
  assert.deepEqual(await grid.column('id'), []);
  assert.doesNotMatch(await grid.page.locator('#grid').innerText(), /no rows/i);
  await grid.page.locator('[name=SearchTerm]').fill('');
  await grid.page.clock.runFor(300);
  await grid.shows('1 to 20 of 1,908');
  assert.equal(await grid.page.locator('#message').innerText(), '');
}

async function showPartial(grid: Grid): Promise<void> {
  await grid.type('SIMULATE-ODD-RECORD');
  await grid.says('Records that could not be read: 1.');
  assert.ok((await grid.column('id')).includes('SHP-ODD-1'));
}

async function showEmpty(grid: Grid): Promise<void> {
  await grid.type('nothing has this text');
  await grid.says('No shipment matches: choose fewer filters');
  await grid.shows('None of 0');
}

async function showUnreachable(grid: Grid): Promise<void> {
  await grid.page.route(/GetShippingPagedList/, (route) => route.abort());
  await grid.type('Berlin');
  await grid.says(
    `The service at ${grid.service.url} cannot be reached, or does not allow this page. Start it there with`,
  );
  assert.deepEqual(await grid.column('id'), []);
}

async function poll(grid: Grid): Promise<void> {
  const unchanged = (): number => grid.service.log.filter(({ status }) => status === 304).length;
  await grid.page.evaluate("document.querySelector('#grid [row-index]').id = 'drawn'");
  const before = unchanged();
  await grid.page.clock.runFor(30_000);
  await eventually('responses that nothing has changed', unchanged, before + 1);
  assert.equal(await grid.page.locator('#drawn').count(), 1);
}

/** Uses the example with the built service, in Chromium. */
export async function useGrid(browser: Browser): Promise<void> {
  cpSync(join(ROOT, 'examples/grid'), FOLDER, { recursive: true });
  await run(FOLDER, 'npm', 'install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--silent');
  const port = await freePort();
  const server = join(FOLDER, 'node_modules/http-server/bin/http-server');
  const entry = [process.execPath, server, FOLDER, '-p', String(port), '-a', '127.0.0.1', '-c-1', '-s'] as const;
  const pages = await ServerProcess.start({ name: 'grid', entry, port, readyAt: '/' });
  const service = await ServiceProcess.start({ CORS_ORIGINS: pages.url }, { entry: 'dist/main.js' });
  for (const { name, act } of STEPS) {
    await check(`the example of a grid: ${name}`, async () => {
      const grid = await Grid.open(browser, pages.url, service);
      await act(grid).finally(() => grid.page.close());
    });
  }
  await Promise.all([pages.stop(), service.kill()]);
}
