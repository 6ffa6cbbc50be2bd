import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Of Swagger UI itself: a link inside the button that opens an operation. */
const OF_SWAGGER_UI = ['nested-interactive'];
/** Swagger UI draws a line or an arrow behind these, so that axe-core cannot tell their ground. */
const UNDECIDED = /^<select|^<span>Parameters</;

/** Runs in the page. Large text needs as much contrast as other text (D71). */
const LOW_CONTRASTS = `(async () => {
  // A colour that is changing is neither the one before nor the one after.
  const changing = document.getAnimations().filter((each) => each instanceof CSSTransition);
  await Promise.allSettled(changing.map(({ finished }) => finished));
  const contrastRatio = { normal: { expected: 4.5 }, large: { expected: 4.5 } };
  axe.configure({ checks: [{ id: 'color-contrast', options: { contrastRatio } }] });
  const { violations, incomplete } = await axe.run({ runOnly: ['color-contrast'] });
  const nodes = [...violations, ...incomplete].flatMap((each) => each.nodes);
  return nodes.map(({ html, failureSummary }) => html.slice(0, 100) + failureSummary);
})()`;

/** Expects a contrast of at least 4.5 between all visible text and its ground. */
export async function expectContrast(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(LOW_CONTRASTS);
  assert.deepEqual(
    found.filter((each) => !UNDECIDED.test(each)),
    [],
  );
}

/** Expects that axe-core finds nothing serious of ours. */
export async function expectNothingSerious(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
  assert.deepEqual(
    found.filter((each) => !OF_SWAGGER_UI.some((id) => each.startsWith(id))),
    [],
  );
}
