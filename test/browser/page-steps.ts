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
const WIDE = { width: 1280, height: 900 };
const MAX_EXECUTE_DISTANCE = 1600;

/** The page as such: its layout, accessibility and keyboard. */
export const PAGE_STEPS: readonly Step[] = [
  ...[DESKTOP, PHONE].flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => readable({ viewport, colorScheme })),
  ),
  { name: 'the journey by keyboard alone', operationId: OPERATION_ID, act: useKeyboard },
  { name: 'the journey by keyboard alone on a dark phone', view: { viewport: PHONE, colorScheme: 'dark' }, operationId: OPERATION_ID, act: useKeyboard }, // prettier-ignore
  ...([[WIDE, 2600], [PHONE, 4500]] as const).map(([viewport, height]) => fits(viewport, height)),
  { name: 'headers, code samples and most responses are folded, each with what it is', operationId: OPERATION_ID, act: unfold },
  { name: 'a complete response is badged, and on the screen', view: { viewport: PHONE }, operationId: OPERATION_ID, act: badge('Berlin', ['200', 'complete']) },
  { name: 'a simulated failure does not look like an empty list', operationId: OPERATION_ID, act: badge('SIMULATE-500', ['200', 'unavailable: upstream-error', 'ignored: SortBy (value)'], 'price') },
  { name: 'a partial response says what it lacks', operationId: OPERATION_ID, act: badge('SIMULATE-ODD-RECORD', ['200', 'partial: 1 dropped']) },
  { name: 'an operation clicked before the scripts ran is opened', path: '/docs', act: clickEarly },
]; // prettier-ignore

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

/** In the page: no media type is cut off. */
const SELECTS_ARE_WHOLE = `[...document.querySelectorAll('.content-type')].every(({ clientWidth, scrollWidth }) => clientWidth >= scrollWidth)`;

/** The page with an open operation is short enough, and Execute is near its top. */
function fits(viewport: View['viewport'] & object, height: number): Step {
  return {
    name: `an open operation fits at ${viewport.width} pixels`,
    view: { viewport },
    operationId: OPERATION_ID,
    act: async (swagger) => {
      await swagger.openOperation(OPERATION_ID);
      const operation = swagger.operation(OPERATION_ID);
      await operation.locator('.codes').waitFor();
      const pageHeight: number = await swagger.page.evaluate('document.documentElement.scrollHeight');
      assert.ok(pageHeight <= height, `${pageHeight} px`);
      const [top, execute] = [await operation.boundingBox(), await operation.locator('.execute').boundingBox()];
      const distance = (execute?.y ?? Infinity) - (top?.y ?? 0);
      assert.ok(distance <= MAX_EXECUTE_DISTANCE, `Execute is ${distance} px below the top of the operation`);
      assert.equal(await swagger.page.evaluate('document.documentElement.scrollWidth'), viewport.width);
      assert.ok(await swagger.page.evaluate(SELECTS_ARE_WHOLE), 'a media type is cut off');
    },
  };
}

/** The outcome of a request for a search term is above its body, on the screen. */
function badge(searchTerm: string, texts: readonly string[], sortBy?: string): Step['act'] {
  return async (swagger) => {
    await swagger.openOperation(OPERATION_ID);
    await swagger.fill(OPERATION_ID, 'SearchTerm', searchTerm);
    if (sortBy !== undefined) await swagger.parameter(OPERATION_ID, 'SortBy').locator('input').fill(sortBy);
    await swagger.execute(OPERATION_ID);
    const outcome = swagger.operation(OPERATION_ID).locator('.outcome');
    assert.deepEqual(await outcome.locator('> *').allInnerTexts(), texts);
    const { height = 0 } = swagger.page.viewportSize() ?? {};
    const box = await outcome.boundingBox();
    assert.ok(box !== null && box.y >= -1 && box.y < height / 2, JSON.stringify(box));
  };
}

async function unfold(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation(OPERATION_ID);
  const operation = swagger.operation(OPERATION_ID);
  await operation.locator('tr.response[data-code="400"]').waitFor();
  assert.equal(await operation.locator('tr.response').count(), 2);
  assert.equal(await operation.locator('tr.response:is([data-code="200"], [data-code="400"])').count(), 2);
  assert.equal(await operation.locator('.headers').count(), 0);
  const lines = await operation.locator('.folded summary').allInnerTexts();
  assert.match(
    lines.join('\n'),
    /^304 .*\n405 .*\n408 .*\n417 .*\n431 .*\n500 .*\n502 .*\n503 .*\n504 Strict clients only/,
  );
  assert.match(
    await operation.locator('.request-headers > summary').innerText(),
    /If-None-Match, X-Request-Id, traceparent/,
  );
  await operation.locator('.folded summary', { hasText: '405' }).click();
  await operation.locator('tr.response[data-code="405"] .example').first().waitFor();
  await operation.locator('.response-col_description summary', { hasText: 'Headers: ' }).first().click();
  assert.match(await operation.locator('.headers').first().innerText(), /X-Request-Id/);
  assert.match(await operation.locator('.codes').innerText(), /bad-request.*overloaded/s);
  assert.ok(!(await operation.innerText()).includes('x-problem-codes'));
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
