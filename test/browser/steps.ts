import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Step } from './step';
import type { SwaggerPage } from './swagger-page';

const MAX_CLICKS = 3;

export const STEPS: readonly Step[] = [
  // First, because it takes longest.
  { name: 'every link of the welcome text leads somewhere', expectedStatus: 400, act: followLinks },
  { name: 'the page opens and says what it is', act: openPage },
  { name: 'from / to a first answer in at most three clicks', operationId: 'getShippingPagedList', act: firstAnswer },
  tried('getShippingSingle', 'SHP-000001'),
  tried('getShippingInfoById', 'SHP-000001'),
  tried('getShippingDetails', 'Berlin'),
  tried('getShippingPagedList', '"hasNextPage": true'),
  degraded('getShippingDetails', 'SIMULATE-500', '[]', 'unavailable;reason=upstream-error'),
  degraded('getShippingPagedList', 'SIMULATE-TIMEOUT', '"items": []', 'unavailable;reason=upstream-timeout'),
  degraded('getShippingDetails', 'SIMULATE-ODD-RECORD', 'SHP-ODD-1', 'partial;reason=bad-reply;dropped=1'),
  { name: 'a strict caller sees the failure', operationId: 'getShippingDetails', expectedStatus: 502, act: failStrictly },
  { name: 'bad input shows its message', operationId: 'getShippingPagedList', expectedStatus: 400, act: askBadly },
  { name: 'the service explains a day that does not exist', operationId: 'getShippingPagedList', expectedStatus: 400, act: askForDayThatDoesNotExist },
  { name: 'the page refuses a page size of 0 by itself', operationId: 'getShippingPagedList', act: askOutOfBounds },
  { name: 'a lookup that finds nothing shows 404', operationId: 'getShippingInfoById', expectedStatus: 404, act: findNothing },
  { name: 'the tag of an answer, sent back, shows 304', operationId: 'getShippingInfoById', act: askAgain },
  { name: 'a deep link opens its operation', path: '/docs#/Shipping/getShippingSingle', operationId: 'getShippingSingle', act: followDeepLink },
]; // prettier-ignore

async function openPage({ page }: SwaggerPage): Promise<void> {
  assert.equal(await page.title(), 'Shipping Query Service');
  assert.match(page.url(), /\/docs$/);
  const icon = await page.locator('link[rel="icon"]').getAttribute('href');
  assert.deepEqual(await fetchInPage(page, icon ?? ''), [200, 'image/svg+xml']);
  await page.locator('.guide > summary').click();
  const welcome = await page.locator('.info .description').innerText();
  for (const text of ['Try this', 'Failures of the external system', 'SIMULATE-ODD-RECORD'])
    assert.ok(welcome.includes(text), text);
  assert.equal(await page.locator('.opblock').count(), 6);
}

async function firstAnswer(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingPagedList');
  const { status, body } = await swagger.execute('getShippingPagedList');
  assert.equal(status, '200');
  assert.ok(body.includes('"hasNextPage": true'), body);
  assert.ok(swagger.clicks <= MAX_CLICKS, `${swagger.clicks} clicks`);
}

/** An operation gives a complete answer to the examples that its fields hold. */
function tried(operationId: string, content: string): Step {
  return {
    name: `${operationId} shows its answer and that it is complete`,
    operationId,
    act: async (swagger) => {
      await swagger.openOperation(operationId);
      const { status, body, headers } = await swagger.execute(operationId);
      assert.match(`${status} ${headers.get('shipping-completeness') ?? ''}`, /^200 complete(;limit=20)?$/);
      assert.ok(body.includes(content), body);
      assert.match(headers.get('etag') ?? '', /^W\/"/);
    },
  };
}

/** A list says how complete it is while the external system does what the search term makes it do. */
function degraded(operationId: string, searchTerm: string, content: string, completeness: string): Step {
  return {
    name: `${operationId} on ${searchTerm} shows ${completeness}`,
    operationId,
    act: async (swagger) => {
      await swagger.openOperation(operationId);
      await swagger.fill(operationId, 'SearchTerm', searchTerm);
      const { status, body, headers } = await swagger.execute(operationId);
      assert.deepEqual([status, headers.get('shipping-completeness')], ['200', completeness]);
      assert.ok(body.includes(content), body);
    },
  };
}

async function failStrictly(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingDetails');
  await swagger.fill('getShippingDetails', 'SearchTerm', 'SIMULATE-500');
  await swagger.fill('getShippingDetails', 'Prefer', 'handling=strict');
  const { status, body, headers } = await swagger.execute('getShippingDetails');
  assert.deepEqual([status, headers.get('preference-applied')], ['502', 'handling=strict']);
  assert.ok(body.includes('"reason": "upstream-error"'), body);
}

async function askBadly(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingPagedList');
  await swagger.fill('getShippingPagedList', 'FromDate', '2026-08-01');
  await swagger.fill('getShippingPagedList', 'ToDate', '2026-07-31');
  const { status, body } = await swagger.execute('getShippingPagedList');
  assert.equal(status, '400');
  assert.match(body, /"parameter": "ToDate",\s*"message": "must not be before FromDate"/);
}

async function askForDayThatDoesNotExist(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingPagedList');
  await swagger.fill('getShippingPagedList', 'FromDate', '2026-02-30');
  const { status, body } = await swagger.execute('getShippingPagedList');
  assert.equal(status, '400');
  assert.match(body, /"parameter": "FromDate",\s*"message": "must be an existing ISO 8601 date/);
}

async function askOutOfBounds(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingPagedList');
  await swagger.execute('getShippingPagedList');
  await swagger.fill('getShippingPagedList', 'PageSize', '0');
  await swagger.click(swagger.operation('getShippingPagedList').locator('.execute'));
  const field = swagger.parameter('getShippingPagedList', 'PageSize').locator('input.invalid');
  await field.waitFor();
  assert.match((await field.getAttribute('title')) ?? '', /greater than or equal to 1/);
  assert.equal(await swagger.operation('getShippingPagedList').locator('.live-responses-table').count(), 0);
}

async function findNothing(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingInfoById');
  await swagger.fill('getShippingInfoById', 'id', 'SHP-999999');
  const { status, body } = await swagger.execute('getShippingInfoById');
  assert.equal(status, '404');
  assert.ok(body.includes('"code": "shipping-not-found"'), body);
}

async function askAgain(swagger: SwaggerPage): Promise<void> {
  await swagger.openOperation('getShippingInfoById');
  const { headers } = await swagger.execute('getShippingInfoById');
  await swagger.operation('getShippingInfoById').locator('.request-headers > summary').click();
  await swagger.fill('getShippingInfoById', 'If-None-Match', headers.get('etag') ?? '');
  await swagger.click(swagger.operation('getShippingInfoById').locator('.execute'));
  const status = swagger.operation('getShippingInfoById').locator('.live-responses-table .response-col_status');
  await status.filter({ hasText: '304' }).waitFor();
  const shown = await swagger.operation('getShippingInfoById').locator('.live-responses-table').innerText();
  assert.ok(!/error/i.test(shown), shown);
}

async function followDeepLink(swagger: SwaggerPage): Promise<void> {
  await swagger.operation('getShippingSingle').locator('.execute').waitFor();
  assert.equal(await swagger.page.locator('.opblock.is-open').count(), 1);
}

async function followLinks({ page }: SwaggerPage): Promise<void> {
  await page.locator('.guide > summary').click();
  const links = await page.locator('.info .description a').all();
  assert.ok(links.length >= 9, String(links.length));
  for (const link of links) {
    const target = (await link.getAttribute('href')) ?? '';
    if (target.startsWith('/openapi.')) {
      assert.deepEqual((await fetchInPage(page, target))[0], 200, target);
      continue;
    }
    await link.click();
    const path = target.split(/[?/]/).find((part) => part.startsWith('Get')) ?? target.split('/').at(-1) ?? '';
    const opened = page.locator(`.opblock.is-open[id$="-${path[0]?.toLowerCase() ?? ''}${path.slice(1)}"]`);
    await opened.locator('.execute').waitFor();
    if (target.startsWith('/')) {
      await opened.locator('.request-url', { hasText: target }).waitFor();
      const status = target.includes('FromDate=2026-08-01') ? '400' : '200';
      await opened.locator('.live-responses-table .response-col_status', { hasText: status }).waitFor();
    }
    // Swagger UI draws all open operations again for each change.
    await opened.locator('.opblock-summary-control').click();
  }
  assert.equal(page.context().pages().length, 1);
}

/** What the page itself gets from a target: status and type of the answer. */
function fetchInPage(page: Page, target: string): Promise<[status: number, type: string]> {
  const code = `fetch(${JSON.stringify(target)}).then((answer) => [answer.status, answer.headers.get('content-type')])`;
  return page.evaluate(code);
}
