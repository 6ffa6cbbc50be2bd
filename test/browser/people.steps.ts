import assert from 'node:assert/strict';
import { eventually } from '../../testing/upstream/eventually';
import { expectContrast, expectNothingSerious } from './axe';
import { DESKTOP, type Device, PHONE, type SwaggerPage } from './page-object';
import type { Step } from './swagger-page.steps';

/** What people see, read and hear of a response, and of the pages around it (D88). */

const DARK: Device = { ...DESKTOP, colorScheme: 'dark' };
const DARK_PHONE: Device = { ...PHONE, colorScheme: 'dark' };

/** What fields hold, the sentences above the response, and the anchors to which they lead. */
const NOTED: [operation: string, fields: Record<string, string>, sentences: RegExp, anchors: string[]][] = [
  ['getShippingPagedList', {}, /^Complete: 10 of \d+ records\.$/, []],
  [
    'getShippingPagedList',
    { SearchTerm: 'SIMULATE-500' },
    /^Incomplete: The external system failed\. This is not an empty result\. Try again .* upstream-error$/,
    ['upstream-error'],
  ],
  [
    'getShippingPagedList',
    { SearchTerm: 'SIMULATE-BAD-JSON', SortBy: 'Weight' },
    /^Incomplete: .*\nWithout effect: "SortBy"\. .* invalid-parameters$/s,
    ['bad-reply', 'invalid-parameters'],
  ],
  ['getShippingPagedList', { PageSize: '0' }, /^Error: Page size must be between 1 and 100\. /, ['invalid-parameters']],
  [
    'getShippingDetails',
    { SearchTerm: 'SIMULATE-TIMEOUT', Prefer: 'handling=strict' },
    /^Error: The external system did not respond in time\. Try again .* upstream-timeout$/,
    ['upstream-timeout'],
  ],
];

/** Runs in the page: where the line is, and where the keyboard is. */
const LINE = `(() => {
  const { top, bottom } = document.querySelector('.opblock.is-open [role=status] p').getBoundingClientRect();
  return { isInView: top >= 0 && bottom <= innerHeight, focus: document.activeElement.textContent };
})()`;

export const PEOPLE_STEPS: readonly Step[] = [
  ...NOTED.map((row) => noted(DESKTOP, ...row)),
  ...NOTED.slice(1, 2).flatMap((row) => [noted(DARK, ...row), noted(DARK_PHONE, ...row)]),
  { name: 'a second response scrolls into view as the first one does', act: executeTwice },
  { name: 'nothing is refused by the page that the service accepts', act: acceptAll },
  ...[DESKTOP, DARK_PHONE].flatMap((device) => {
    const name = `${device.viewport.width} pixels, ${device.colorScheme}`;
    return [
      {
        name: `the page of problems can be read, its anchors scroll up, at ${name}`,
        device,
        act: readProblems,
      },
      { name: `axe-core finds nothing serious of ours at ${name}`, device, act: findWithAxe },
    ];
  }),
];

function noted(
  device: Device,
  operation: string,
  fields: Record<string, string>,
  sentences: RegExp,
  anchors: string[],
): Step {
  return {
    name: `${operation} ${JSON.stringify(fields).slice(0, 60)} says what happened, ${device.viewport.width} pixels, ${device.colorScheme}`,
    device,
    act: async (swagger) => {
      const { page } = swagger;
      await swagger.openOperation(operation);
      const region = swagger.operation(operation).getByRole('status');
      const known = "document.querySelector('.opblock.is-open [role=status]').isKnown";
      // Screen readers only read what is added to a region that is there before.
      await region.waitFor({ state: 'attached' });
      await page.evaluate(`${known} = true`);
      await swagger.tryOpened(operation, fields);
      assert.match((await region.innerText()).replace(/\n+/g, '\n'), sentences);
      assert.equal(await page.evaluate(known), true);
      const links = await Promise.all((await region.locator('a').all()).map((link) => link.getAttribute('href')));
      assert.deepEqual(
        links,
        anchors.map((anchor) => `/problems#${anchor}`),
      );
      for (const anchor of anchors) {
        const text = await page.evaluate<string>("fetch('/problems').then((response) => response.text())");
        assert.ok(text.includes(` id="${anchor}"`), anchor);
      }
      assert.deepEqual(await page.evaluate(LINE), { isInView: true, focus: 'Execute' });
      const box = "document.querySelector('.opblock.is-open pre:has(> .headerline)')";
      assert.equal(await page.evaluate(`${box}.scrollHeight - ${box}.clientHeight`), 0);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), device.viewport.width);
      await expectContrast(page);
    },
  };
}

/** Its request id, its status and its body are those of the first response. */
async function executeTwice(swagger: SwaggerPage): Promise<void> {
  const { page } = swagger;
  await swagger.try('getShippingPagedList', { 'X-Request-Id': 'fixed' });
  await page.evaluate('scrollTo(0, 0)');
  assert.match(JSON.stringify(await page.evaluate(LINE)), /"isInView":false/);
  await page.evaluate("document.querySelector('.opblock.is-open .execute').click()");
  await eventually('the line in view', () => page.evaluate(`${LINE}.isInView`), true);
}

async function acceptAll(swagger: SwaggerPage): Promise<void> {
  const fields = {
    SearchTerm: '\u{1F69A}'.repeat(101),
    FromDate: ' 2026-01-01',
    ToDate: '2026-07-31T08:30+02:00 ',
    OrderId: ' -',
    PageSize: ' 5 ',
  };
  const { status, headers } = await swagger.try('getShippingPagedList', fields);
  assert.deepEqual([status, headers.get('shipping-completeness')], ['200', 'complete']);
}

async function readProblems({ page }: SwaggerPage): Promise<void> {
  for (const anchor of ['bad-request', 'upstream-error', 'internal']) {
    await page.goto(new URL(`/problems#${anchor}`, page.url()).href);
    const target = await page.evaluate<{ top: number; id: string; width: number; ground: string }>(`(() => {
      const target = document.querySelector(':target');
      const { scrollWidth: width } = document.documentElement;
      return { top: Math.abs(target.getBoundingClientRect().top), id: target.id, width, ground: getComputedStyle(target).backgroundColor };
    })()`);
    assert.ok(target.top < 2 && target.ground !== 'rgba(0, 0, 0, 0)', JSON.stringify(target));
    assert.deepEqual([target.id, target.width], [anchor, page.viewportSize()?.width]);
  }
  await expectContrast(page);
  await page.getByRole('link', { name: 'Back to the operations' }).click();
  await page.locator('.opblock').first().waitFor();
}

async function findWithAxe(swagger: SwaggerPage): Promise<void> {
  await swagger.try('getShippingPagedList', { SearchTerm: 'SIMULATE-500' });
  await expectNothingSerious(swagger.page);
  await swagger.page.goto(new URL('/problems', swagger.page.url()).href);
  await expectNothingSerious(swagger.page);
}
