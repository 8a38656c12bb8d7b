import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

/** Where Debian, Ubuntu and macOS have it. */
const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const EXECUTABLE = PATHS.find((path) => existsSync(path));

/** For `skip(NO_BROWSER !== null, ...)`. */
export const NO_BROWSER = EXECUTABLE === undefined ? `no Chromium is installed: ${PATHS.join(', ')}` : null;

/** Root has no sandbox of its own in a container; the rest keeps the browser from talking to anybody but the test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const launch = (): Promise<Browser> => chromium.launch({ executablePath: EXECUTABLE as string, args: FLAGS });

/** A browser until the end of the test. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launch();
  onTestFinished(() => browser.close());
  return browser;
}

/** One browser for all tests of a file, since its start takes a second. */
export function sharedBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | null = null;
  afterAll(async () => (await browser)?.close());
  return () => {
    browser ??= launch();
    return browser;
  };
}

export interface WatchedPage {
  readonly page: Page;
  /** What the page's console said of errors, and what its script threw. */
  readonly errors: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage(options);
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  return { page, errors };
}

/** How far a page is wider than its window: 0 where nobody has to move it sideways. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Stops of Tab that are looked at; a page of many rows has more (ours). */
const MOST_STOPS = 60;

/** The names of what Tab reaches one after the other, from what has the focus now. Each has to have a name, and to show that it has the focus. */
export async function tabStops(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    const [name, isShown, html] = await page.evaluate<[string, boolean, string]>(FOCUSED);
    if (html === '') break;
    expect([name, isShown], `${html} has a name and shows the focus`).toEqual([expect.stringMatching(/./), true]);
    names.push(name);
    await page.keyboard.press('Tab');
  }
  return names;
}

/** Of the element that has the focus its name, whether it has an outline, and its beginning; empty behind the last one. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return ['', true, ''];
  const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  return [name.trim().split('\\n')[0], outlineStyle !== 'none' && outlineWidth !== '0px', at.outerHTML.slice(0, 60)];
})()`;
