import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Step } from './step';
import type { SwaggerPage, View } from './swagger-page';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const AXE_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const OPERATION_ID = 'getShippingPagedList';
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1200, height: 900 };

/** The page as such: its layout, accessibility and keyboard. */
export const PAGE_STEPS: readonly Step[] = [
  ...[DESKTOP, PHONE].flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => readable({ viewport, colorScheme })),
  ),
  { name: 'the journey by keyboard alone', operationId: OPERATION_ID, act: useKeyboard },
  { name: 'the journey by keyboard alone on a dark phone', view: { viewport: PHONE, colorScheme: 'dark' }, operationId: OPERATION_ID, act: useKeyboard }, // prettier-ignore
  { name: 'rare errors and code samples are folded', act: unfold },
  { name: 'an operation clicked before the scripts ran is opened', path: '/docs', act: clickEarly },
];

/** The operations are on the first screen, nothing scrolls sideways, and axe finds nothing, before and after a request. */
function readable(view: Required<View>): Step {
  const { viewport, colorScheme } = view;
  return {
    name: `readable at ${viewport.width} pixels, ${colorScheme}`,
    view,
    operationId: OPERATION_ID,
    act: async (swagger) => {
      const last = await swagger.operation(OPERATION_ID).boundingBox();
      assert.ok(last !== null && last.y + last.height <= viewport.height, JSON.stringify(last));
      await expectAccessible(swagger.page, viewport.width);
      await swagger.page.locator('.guide > summary').click();
      await swagger.openOperation(OPERATION_ID);
      await swagger.execute(OPERATION_ID);
      for (const summary of await swagger.operation(OPERATION_ID).locator('details > summary').all())
        await summary.click();
      await expectAccessible(swagger.page, viewport.width);
    },
  };
}

async function expectAccessible(page: Page, width: number): Promise<void> {
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
  const { violations } = await page.evaluate<{
    violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
  }>(`${AXE};axe.run(document, { runOnly: ${JSON.stringify(AXE_RULES)}, resultTypes: ['violations'] })`);
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${JSON.stringify(nodes.slice(0, 3), undefined, 1)}`,
  );
  assert.equal(told.length, 0, told.join('\n'));
}

/** Tab, Enter and typing only. */
async function useKeyboard(swagger: SwaggerPage): Promise<void> {
  const { page } = swagger;
  const operation = swagger.operation(OPERATION_ID);
  await tabTo(page, `.opblock[id$="-${OPERATION_ID}"] .opblock-summary-control`);
  await page.keyboard.press('Enter');
  await operation.locator('tr[data-param-name="SearchTerm"] input').waitFor();
  await tabTo(page, 'tr[data-param-name="SearchTerm"] input');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Friedrich');
  await tabTo(page, '.execute');
  await page.keyboard.press('Enter');
  await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  assert.match(await operation.locator('.request-url').innerText(), /SearchTerm=Friedrich/);
}

const MAX_TABS = 100;
/** In the page: whether the focused element is on the screen, with an outline or a shadow. */
const SHOWS_FOCUS = `(() => {
  const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return (outlineStyle !== 'none' || boxShadow !== 'none') && top >= 0 && bottom <= innerHeight;
})()`;

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`))) continue;
    assert.ok(await page.evaluate(SHOWS_FOCUS), `${selector} does not show the focus`);
    return;
  }
  throw new Error(`${selector} is not reached by Tab`);
}

async function unfold(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation(OPERATION_ID);
  const operation = swagger.operation(OPERATION_ID);
  await operation.locator('tr.response[data-code="404"], tr.response[data-code="400"]').first().waitFor();
  assert.equal(await operation.locator('tr.response:is([data-code="405"], [data-code="431"])').count(), 0);
  await operation.locator('.rare > summary').click();
  assert.match(await operation.locator('.rare').innerText(), /405[\s\S]*408[\s\S]*417[\s\S]*431/);
  await operation.locator('.samples > summary').click();
  const samples = await operation.locator('.samples').innerText();
  const origin = new URL(swagger.page.url()).origin;
  for (const text of [
    `curl -i '${origin}/api`,
    `await fetch('${origin}/api`,
    'client.getShippingPagedList({ PageSize: 1 })',
  ])
    assert.ok(samples.includes(text), samples);
}

/** The list that the page brings is replaced by that of Swagger UI. */
async function clickEarly({ page }: SwaggerPage): Promise<void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/page.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.locator('a.opblock-summary-control[href="#/Shipping/getShippingSingle"]').click();
  release();
  await page.locator('.opblock.is-open[id$="-getShippingSingle"] .execute').waitFor();
}
