import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { playground } from '../../.config/site/build.js';
import { addressOf } from '../../src/web/playground/share.js';
import { NO_BROWSER, sharedBrowser, tabStops } from './browser.js';
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
  return (await saved(page, '#save-result')).text;
}

/** The page at rest with a scenario in its address, and what its console and its scripts complained of. */
async function openPlayground(name: string, source: string) {
  const folder = scratch();
  writeFileSync(join(folder, 'playground.html'), playground(ROOT));
  const page = await (await browser()).newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await open(page, folder, name, source);
  return { page, folder, errors };
}

/** What a reader who presses a button gets as a file. */
async function saved(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

const browser = sharedBrowser();

describe('the playground', () => {
  it('gives the very result of the command line, and says how fast', async ({ skip }) => {
    skip(NO_BROWSER !== null, NO_BROWSER ?? '');
    const { page, folder, errors } = await openPlayground('scenario.yaml', pairs(2));
    for (const [path, source] of Object.entries(SCENARIOS)) {
      const file = join(folder, path);
      writeFileSync(file, source);
      const { stdout } = await runHere('sim', file, '--json');
      await open(page, folder, path, source);
      expect(withoutWall(await play(page)), path).toBe(withoutWall(stdout));
      expect(await page.locator('#charts canvas').count()).toBe(4);
      expect(await page.textContent('#speed')).toMatch(/[\d.e-]+ of real time/);
    }
    expect(errors).toEqual([]);
  });

  it('is driven by keyboard, names what is wrong, and keeps a scenario in files and in its address', async ({
    skip,
  }) => {
    skip(NO_BROWSER !== null, NO_BROWSER ?? '');
    const { page, folder, errors } = await openPlayground('mine.yaml', pairs(2));
    await page.locator('#play:enabled').waitFor();
    await page.locator('#examples').focus();
    const names = await tabStops(page);
    for (const name of ['topology', 'algorithm', 'seed', 'Load', 'Save', 'Copy link', 'Scenario as YAML', 'Start'])
      expect(
        names.some((each) => each.startsWith(name)),
        `${name} among ${names.join(', ')}`,
      ).toBe(true);

    // Of the form, then of the text.
    await page.getByLabel('duration').fill('5 parsecs');
    await page.keyboard.press('Tab');
    await page.locator('#problem:visible').waitFor();
    expect(await page.textContent('#problem')).toMatch(/duration is '5 parsecs'.*allowed: /);
    expect(await page.isDisabled('#play')).toBe(true);
    await page.getByLabel('duration').fill('1ms');
    await page.keyboard.press('Tab');
    await page.locator('#play:enabled').waitFor();
    await page.getByLabel('algorithm').selectOption('naive');
    const yaml = await saved(page, '#save');
    expect(yaml.name).toBe('mine.yaml');
    expect(parse(yaml.text)).toMatchObject({ duration: '1ms', algorithm: 'naive' });
    await page.fill('#source', 'topology: { name: star }\nflows: [{ kind: incast, to: 99 }]\n');
    await page.locator('#problem:visible').waitFor();
    expect(await page.textContent('#problem')).toContain("scenario file 'mine.yaml', line 2: flows.0.to");
    await page.getByRole('button', { name: 'Go to line 2' }).press('Enter');
    expect(await page.evaluate('getSelection().toString()')).toContain('to: 99');

    writeFileSync(join(folder, 'other.yaml'), yaml.text);
    await page.setInputFiles('#file', join(folder, 'other.yaml'));
    await page.locator('#play:enabled').waitFor();
    expect([await page.inputValue('#path'), await page.inputValue('#source')]).toEqual(['other.yaml', yaml.text]);
    await page.click('#share');
    await expect.poll(() => page.textContent('#state')).toMatch(/link/i);
    const shared = await (await browser()).newPage();
    onTestFinished(() => shared.close());
    await shared.goto(page.url());
    await expect.poll(() => shared.inputValue('#source')).toBe(yaml.text);
    await shared.locator('#play:enabled').waitFor();
    await shared.keyboard.press('Control+Enter');
    await shared.locator('#save-result:enabled').waitFor();
    expect(errors).toEqual([]);
  });
});
