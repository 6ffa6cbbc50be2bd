import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * Runs in the page. Lists each kind of visible text whose contrast to its ground is below 4.5, with its ratio (WCAG 2.2,
 * 1.4.3); placeholders and images are not text.
 */
const LOW_CONTRASTS = `(async () => {
  // A colour that is changing is neither the one before nor the one after.
  const changing = document.getAnimations().filter((each) => each instanceof CSSTransition);
  await Promise.allSettled(changing.map(({ finished }) => finished));
  const colourOf = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\\d.]+/g).map(Number);
    return { channels: [red, green, blue], alpha };
  };
  const over = (top, below) => top.channels.map((value, index) => value * top.alpha + below[index] * (1 - top.alpha));
  const ancestors = (element) => (element === null ? [] : [element, ...ancestors(element.parentElement)]);
  const groundOf = (element) =>
    ancestors(element)
      .map((each) => colourOf(getComputedStyle(each).backgroundColor))
      .reduceRight((below, top) => over(top, below), [255, 255, 255]);
  const luminanceOf = (channels) => {
    const linear = channels.map((value) => value / 255).map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0 && !['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName);
  const found = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { textContent, parentElement: element } = texts.currentNode;
    if (textContent.trim() === '' || !isShown(element)) continue;
    const ground = groundOf(element);
    const colour = colourOf(getComputedStyle(element).color);
    const opacity = ancestors(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
    const luminances = [over({ ...colour, alpha: colour.alpha * opacity }, ground), ground].map(luminanceOf).sort((one, other) => other - one);
    const ratio = (luminances[0] + 0.05) / (luminances[1] + 0.05);
    if (ratio < 4.5) found.set(element.tagName + '.' + element.className, ratio.toFixed(2) + ' ' + textContent.trim().slice(0, 40));
  }
  return [...found].map((each) => each.join(': '));
})()`;

/** Expects that all visible text can be read. */
export async function expectContrast(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate(LOW_CONTRASTS), []);
}
