/** A browser for tests of pages. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished, type TestContext } from 'vitest';

const PATH = process.env.XPASS_CHROMIUM ?? '/usr/bin/chromium';
/** Nothing of it speaks to the network by itself. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

/** Chromium of the system, closed when the test is over; skips the test where there is none. */
export async function openBrowser({ skip }: Pick<TestContext, 'skip'>): Promise<Browser> {
  skip(!existsSync(PATH), `there is no Chromium at ${PATH}: XPASS_CHROMIUM says where one is`);
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', ...QUIET];
  const browser = await chromium.launch({ executablePath: PATH, args });
  onTestFinished(() => browser.close());
  return browser;
}
