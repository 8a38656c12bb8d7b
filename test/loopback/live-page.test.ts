import { chmod } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { displayCount } from '../../src/base/display.js';
import { SwitchControl } from '../../src/services/control/client.js';
import { NO_BROWSER, openBrowser, openPage, overflowOf, tabStops } from './browser.js';
import { freePorts, RawHost, scratchFile, startSwitch, XpassCommand, XpassProcess } from './switch-lab.js';

const SLOW = { timeout: 20_000 };

/** What a cell of the table of ports says. */
const cellOf = (page: Page, port: string, at: number): Promise<string | null> =>
  page.locator(`#ports tr[data-name="${port}"] td`).nth(at).textContent();

const stateOf = (page: Page): Promise<string | null> => page.locator('.state').textContent();

async function sendFrames(host: RawHost, count: number): Promise<void> {
  for (let at = 0; at < count; at++) host.sendData(2, `frame ${at}`);
}

it('shows the counts of the summary, changes the switch by keyboard, and comes back after a restart', async ({
  skip,
}) => {
  skip(NO_BROWSER !== null, NO_BROWSER ?? '');
  const [web] = await freePorts(1);
  const token = await scratchFile('token', 'a token of this test\n');
  await chmod(token, 0o600);
  const options = ['--hosts', '3', '--web', `127.0.0.1:${web}`, '--web-token', token];
  const first = await startSwitch(...options);
  const url = String(first.listening.web);
  expect(url).toBe(`http://127.0.0.1:${web}/#a%20token%20of%20this%20test`);
  const { page, errors } = await openPage(await openBrowser(), url, { viewport: { width: 1280, height: 900 } });
  await expect.poll(() => stateOf(page), SLOW).toBe('live');

  await page.getByLabel('Link', { exact: true }).focus();
  const stops = await tabStops(page);
  for (const name of ['Link', 'Rate', 'Delay', 'Loss', 'Take down all links'])
    expect(
      stops.some((stop) => stop.startsWith(name)),
      `${name} among ${stops.join(', ')}`,
    ).toBe(true);
  const spoken = await page.locator('main').ariaSnapshot();
  for (const part of [
    'heading "Network"',
    'combobox "Link"',
    'slider "Rate',
    'slider "Loss',
    'img "Network of',
    'status',
  ])
    expect(spoken).toContain(part);

  const { port } = first;
  const hosts = [await RawHost.attached(port, 1), await RawHost.attached(port, 2)];
  await sendFrames(hosts[0], 25);
  await expect.poll(() => cellOf(page, 's1->h2', 3), SLOW).toBe('25');

  const loss = page.getByLabel('Loss');
  await loss.focus();
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  const control = await SwitchControl.connect(first.control);
  const losses = async () => (await control.ports()).ports.map(({ impairment }) => impairment.lossRate);
  await expect.poll(losses, SLOW).toEqual(new Array<number>(6).fill(0.005));
  // Each link has a command of its own, and each step of the keys may be one: on busy cores they are marked apart.
  await expect.poll(() => page.locator('.notes li').first().textContent(), SLOW).toMatch(/: loss .* to 0\.500 %$/);
  expect(await loss.getAttribute('aria-valuetext')).toBe('0.500 %');
  await page.getByRole('button', { name: 'Take down all links' }).press('Enter');
  await expect
    .poll(async () => (await control.ports()).ports.every(({ impairment }) => impairment.down), SLOW)
    .toBe(true);
  await expect(page.getByRole('button', { name: 'Bring up all links' }).textContent()).resolves.toContain('Bring up');
  control.close();
  await sendFrames(hosts[0], 3);
  await expect.poll(() => cellOf(page, 'h1->s1', 10), SLOW).toBe('3');

  const shown = await page.evaluate(
    "[...document.querySelectorAll('#ports tbody tr')].map((row) => [0, 3, 10].map((at) => row.cells[at].textContent))",
  );
  const { stdout } = await first.process.stop();
  const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  const counted = summary.ports.map(
    ({ name, data, drops }: { name: string; data: { frames: number }; drops: object }) => {
      const { down = 0, lost = 0 } = drops as { down?: number; lost?: number };
      return [name, displayCount(data.frames), displayCount(down + lost)];
    },
  );
  expect(shown, 'the page says what the summary says').toEqual(counted);

  await expect.poll(() => stateOf(page), SLOW).toBe('reconnecting');
  await startSwitch(...options);
  await expect.poll(() => stateOf(page), SLOW).toBe('live');
  await expect.poll(() => cellOf(page, 's1->h2', 3), SLOW).toBe('0');
  expect(await page.locator('.notes li').count(), 'marks of another process').toBe(0);
  await page.reload();
  await expect.poll(() => stateOf(page), SLOW).toBe('live');
  expect(
    errors.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY|ERR_CONNECTION_RESET/.test(text)),
  ).toEqual([]);
});

it('changes senders and algorithm of the demonstration, on a narrow and dark page, and draws a daemon', async ({
  skip,
}) => {
  skip(NO_BROWSER !== null, NO_BROWSER ?? '');
  const demo = new XpassProcess(['demo', '--senders', '2', '--link-rate', '5mbit', '--json', '--web', ':0']);
  const { web } = await demo.event('listening');
  const browser = await openBrowser();
  const { page, errors } = await openPage(browser, String(web), {
    ...{ viewport: { width: 390, height: 844 }, colorScheme: 'dark', reducedMotion: 'reduce' },
  });
  const flows = page.locator('#flows tbody tr');
  await expect.poll(() => flows.count(), SLOW).toBe(2);
  await expect.poll(() => page.locator('#port-charts canvas').count(), SLOW).toBe(4);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await page.locator('.topology').getAttribute('aria-label')).toMatch(
    /^Network of 10 nodes, 3 hosts attached; busiest is s1->h1/,
  );
  expect(await page.evaluate("getComputedStyle(document.querySelector('.load')).animationName")).toBe('none');

  await page.getByLabel('Senders').press('ArrowRight');
  await expect.poll(() => flows.count(), SLOW).toBe(3);
  await page.getByLabel('Algorithm').selectOption('naive');
  const algorithms = () => flows.locator('td:nth-child(2)').allTextContents();
  await expect.poll(algorithms, SLOW).toEqual(['naive', 'naive', 'naive']);
  await expect
    .poll(() => page.locator('.notes li').allTextContents(), SLOW)
    .toEqual(['algorithm steady to naive', 'senders 2 to 3']);
  expect(errors).toEqual([]);

  const daemon = new XpassCommand([
    'daemon',
    '--listen',
    ':0',
    '--json',
    '--web',
    ':0',
    '-d',
    await scratchFile('dir', '').then((path) => `${path}.d`),
  ]);
  const listening = await daemon.event('listening');
  const looking = await openPage(browser, String(listening.web).split('#')[0]);
  await expect.poll(() => stateOf(looking.page), SLOW).toBe('live');
  await expect(looking.page.locator('#controls').textContent()).resolves.toContain('lets nothing be changed');
  expect(looking.errors).toEqual([]);

  const { code, stdout } = await demo.stop();
  expect(code).toBe(0);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')).toMatchObject({
    event: 'summary',
    algorithm: 'naive',
    senders: 3,
  });
});
