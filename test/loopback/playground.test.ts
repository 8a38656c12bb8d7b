import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { playground } from '../../.config/site/build.js';
import { addressOf } from '../../src/web/playground/share.js';
import { NO_BROWSER, openBrowser } from './browser.js';
import { runHere } from './switch-lab.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const pairs = (count: number) =>
  `topology: { name: dumbbell, pairs: ${count} }\nbottlenecks: [left->right]\nduration: 60ms\nseed: 7\nflows:\n  - kind: pairs\n`;

const SCENARIOS = {
  'two-flows.yaml': pairs(2),
  'lossy-incast.yaml':
    'topology: { name: fat-tree, pods: 2, coreSwitches: 2, hostsPerTor: 2, loss: 0.5% }\nseed: 11\nflows:\n  - { kind: incast, to: 1, bytes: 50kB, startJitter: 20us }\n',
  'sprayed-fault.yaml':
    'algorithm: spraypass\ntopology: { name: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\nduration: 20ms\nseed: 3\nflows:\n  - { from: 1-2, to: 3-4 }\nfaults:\n  - { at: 5ms, link: leaf1-spine1, down: true, for: 5ms }\n',
};

/** Wall time stands last and is the machine's. */
const withoutWall = (json: string) => json.trimEnd().replace(/,"wall_s":[^,}]+}$/, '}');

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'xpass-playground-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(page: Page, folder: string, path: string, source: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${pathToFileURL(join(folder, 'playground.html')).href}${await addressOf({ path, source })}`);
}

/** Presses Start; the saved result. */
async function play(page: Page): Promise<string> {
  await page.locator('#play:enabled').click();
  await page.locator('#save-result:enabled').waitFor({ timeout: 60_000 });
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save-result')]);
  return readFileSync(await saved.path(), 'utf8');
}

describe('the playground', () => {
  it('gives the very result of the command line, and says what is wrong with a scenario', async ({ skip }) => {
    skip(NO_BROWSER !== null, NO_BROWSER ?? '');
    const browser = await openBrowser();
    const folder = scratch();
    writeFileSync(join(folder, 'playground.html'), playground(ROOT));
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    for (const [path, source] of Object.entries(SCENARIOS)) {
      const file = join(folder, path);
      writeFileSync(file, source);
      const { stdout } = await runHere('sim', file, '--json');
      await open(page, folder, path, source);
      expect(withoutWall(await play(page)), path).toBe(withoutWall(stdout));
    }
    for (const flows of [2, 64]) {
      await open(page, folder, 'speed.yaml', pairs(flows));
      await play(page);
      console.log(`${flows} flows at 10 Gbit/s: ${await page.textContent('#speed')}`);
      expect(await page.locator('#charts canvas').count()).toBe(4);
    }
    await page.fill('#source', 'topology: { name: star }\nflows: [{ kind: incast, to: 99 }]\n');
    await page.locator('#problem:visible').waitFor();
    expect(await page.textContent('#problem')).toContain("scenario file 'speed.yaml', line 2: flows.0.to");
    expect(await page.isDisabled('#play')).toBe(true);
    expect(errors).toEqual([]);
  });
});
