import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { PageData } from '../../src/report/page-data.js';
import { NO_BROWSER, openBrowser, openPage, overflowOf } from './browser.js';
import { runHere, scratchFile } from './switch-lab.js';

const SCENARIO = `topology: { name: dumbbell, pairs: 4, rate: 1gbit, delay: 5us }
duration: 20ms
flows:
  - { kind: pairs }
faults:
  - { at: 5ms, link: h2, loss: 1%, for: 5ms }
`;

const shownLines = (page: Page): Promise<number> =>
  page.evaluate(`[...document.querySelector('.uplot').querySelectorAll('.u-series:not(.u-off)')].length`);

/** What is counted of the charts' drawings while nobody touches the page. */
const drawingsIn = (page: Page, ms: number): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    let count = 0;
    const { clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) { count++; clearRect.apply(this, box); };
    setTimeout(() => resolve(count), ${ms});
  })`);

/** The first chart ends before the others. */
async function shortenFirst(report: string): Promise<void> {
  const html = await readFile(report, 'utf8');
  const shorter = html.replace(/(<script type="application\/json">)(.*?)(<\/script>)/, (_, start, json, end) => {
    const data = JSON.parse(json) as PageData;
    const [{ x, lines, ...rest }, ...others] = data.figures;
    const half = Math.floor(x.length / 2);
    const first = { ...rest, x: x.slice(0, half), lines: lines.map((line) => ({ ...line, y: line.y.slice(0, half) })) };
    return `${start}${JSON.stringify({ ...data, figures: [first, ...others] })}${end}`;
  });
  expect(shorter).not.toBe(html);
  await writeFile(report, shorter);
}

it('has charts that the reader points into, zooms together and picks flows of', async ({ skip }) => {
  skip(NO_BROWSER !== null, NO_BROWSER ?? '');
  const scenario = await scratchFile('scenario.yaml', SCENARIO);
  const report = `${scenario}.html`;
  expect((await runHere('sim', scenario, '--report', report)).code).toBe(0);
  const browser = await openBrowser();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, errors } = await openPage(browser, pathToFileURL(report).href, { colorScheme });
    await page.waitForSelector('.uplot canvas');
    expect(await page.locator('figure > .live .uplot').count()).toBeGreaterThan(3);
    expect(errors).toEqual([]);
    await page.close();
  }
  await shortenFirst(report);
  const { page, errors } = await openPage(browser, pathToFileURL(report).href, {
    viewport: { width: 1280, height: 900 },
  });
  await page.waitForSelector('.uplot canvas');

  const before = await shownLines(page);
  await page.locator('.picker summary').first().click();
  await page.locator('.picker input[type=checkbox]:checked').first().click();
  expect(await shownLines(page), 'a line less').toBe(before - 1);
  await page.locator('.picker input[type=checkbox]:not(:checked)').first().click();
  expect(await shownLines(page), 'and it is back').toBe(before);

  const drawnOf = async (): Promise<string> =>
    createHash('sha256')
      .update(await page.evaluate<string>("document.querySelectorAll('.uplot canvas')[1].toDataURL()"))
      .digest('hex');
  const unzoomed = await drawnOf();
  const box = await page.locator('.uplot .u-over').first().boundingBox();
  if (box === null) throw new Error('the first chart is not in view');
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(0, 0);
  await expect.poll(drawnOf, { timeout: 10_000 }).not.toBe(unzoomed);
  // Where no line is near, which would be drawn in front of the others.
  await page.mouse.dblclick(box.x + box.width * 0.9, box.y + 10);
  await page.mouse.move(0, 0);
  await expect.poll(drawnOf, { timeout: 10_000 }).toBe(unzoomed);
  expect(await drawingsIn(page, 200), 'charts of different lengths do not set each other').toBe(0);
  expect(errors).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
