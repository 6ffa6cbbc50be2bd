import assert from 'node:assert/strict';
import type { SwaggerPage } from './swagger-page';

/** One thing that a visitor does, on a page freshly opened. */
export interface Step {
  readonly name: string;
  /** Where the visitor starts; `/` where it is not given. */
  readonly path?: string;
  /** A desktop where it is not given. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly act: (swagger: SwaggerPage) => Promise<void>;
}

export const STEPS: readonly Step[] = [
  { name: 'the page opens, and says what it is', act: openPage },
  { name: 'the links of the welcome text lead somewhere', act: followLinks },
  { name: 'a deep link opens its operation', path: '/docs#/Shipping/getShippingSingle', act: followDeepLink },
  tried('getShippingSingle', 'SHP-000001'),
  tried('getShippingInfoById', 'SHP-000001'),
  tried('getShippingDetails', 'Berlin'),
  tried('getShippingPagedList', 'SHP-000001'),
  degraded('getShippingDetails', 'SIMULATE-500', '[]', 'unavailable;reason=upstream-error'),
  degraded('getShippingPagedList', 'SIMULATE-TIMEOUT', '"items": []', 'unavailable;reason=upstream-timeout'),
  degraded('getShippingDetails', 'SIMULATE-ODD-RECORD', 'SHP-ODD-1', 'partial;reason=bad-reply;dropped=1'),
  { name: 'a strict client sees the failure', act: failStrictly },
  { name: 'bad input shows its message', act: sendBadInput },
  fits({ width: 1280, height: 900 }, 3500),
  fits({ width: 390, height: 844 }, 6000),
];

async function openPage({ page }: SwaggerPage): Promise<void> {
  assert.equal(await page.title(), 'Shipping Query Service');
  assert.match(page.url(), /\/docs$/);
  assert.match(await page.locator('.info').innerText(), /SIMULATE-ODD-RECORD/);
  assert.equal(await page.locator('.opblock').count(), 6);
}

async function followLinks({ page }: SwaggerPage): Promise<void> {
  const targets = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.info .description a')].map((link) => link.getAttribute('href'))",
  );
  assert.ok(targets.length >= 3, String(targets));
  for (const target of targets) {
    const status = await page.evaluate(`fetch(${JSON.stringify(target)}).then(({ status }) => status)`);
    assert.equal(status, 200, target);
  }
}

async function followDeepLink(swagger: SwaggerPage): Promise<void> {
  await swagger.operation('getShippingSingle').locator('.execute').waitFor();
  assert.equal(await swagger.page.locator('.opblock.is-open').count(), 1);
}

/** An operation gives a complete response to the examples that its fields hold. */
function tried(operationId: string, content: string): Step {
  return {
    name: `${operationId} shows its response, and that it is complete`,
    act: async (swagger) => {
      const { status, body, headers } = await swagger.try(operationId);
      assert.match(`${status} ${headers.get('shipping-completeness') ?? ''}`, /^200 complete(;limit=20)?$/);
      assert.ok(body.includes(content), body);
      assert.match(headers.get('etag') ?? '', /^W\/"/);
    },
  };
}

/** A list shows how complete it is while the external system does what the search term makes it do. */
function degraded(operationId: string, searchTerm: string, content: string, completeness: string): Step {
  return {
    name: `${operationId} on ${searchTerm} shows ${completeness}`,
    act: async (swagger) => {
      const { status, body, headers } = await swagger.try(operationId, { SearchTerm: searchTerm });
      assert.deepEqual([status, headers.get('shipping-completeness')], ['200', completeness]);
      assert.ok(body.includes(content), body);
    },
  };
}

async function failStrictly(swagger: SwaggerPage): Promise<void> {
  const fields = { SearchTerm: 'SIMULATE-500', Prefer: 'handling=strict' };
  const { status, body, headers } = await swagger.try('getShippingDetails', fields);
  assert.deepEqual([status, headers.get('preference-applied')], ['502', 'handling=strict']);
  assert.ok(body.includes('"reason": "upstream-error"'), body);
}

async function sendBadInput(swagger: SwaggerPage): Promise<void> {
  const fields = { FromDate: '2026-08-01', ToDate: '2026-07-31' };
  const { status, body } = await swagger.try('getShippingPagedList', fields);
  assert.equal(status, '400');
  assert.match(body, /"parameter": "ToDate",\s*"message": "must not be before FromDate"/);
}

/** The page with an opened paged list is short enough, and does not scroll sideways. */
function fits(viewport: Step['viewport'] & object, height: number): Step {
  return {
    name: `an opened paged list fits at ${viewport.width} pixels`,
    viewport,
    act: async (swagger) => {
      await swagger.openOperation('getShippingPagedList');
      await swagger.operation('getShippingPagedList').locator('tr.response[data-code="504"] pre').waitFor();
      const root = await swagger.page.evaluate<{ scrollHeight: number; scrollWidth: number }>(
        '(({ scrollHeight, scrollWidth }) => ({ scrollHeight, scrollWidth }))(document.documentElement)',
      );
      assert.ok(root.scrollHeight <= height, `${root.scrollHeight} px`);
      assert.equal(root.scrollWidth, viewport.width);
    },
  };
}
