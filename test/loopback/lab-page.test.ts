import { chmod } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { LiveMark, LiveSample, LiveScene } from '../../src/report/live-data.js';
import { freePorts, scratchFile, XpassProcess } from './switch-lab.js';

const SCENARIO = `topology: { name: dumbbell, pairs: 2, rate: 20mbit }
duration: 3s
flows:
  - { kind: pairs }
faults:
  - { at: 1s, link: h2, down: true, for: 1s }
`;

interface Seen {
  scene?: LiveScene;
  sample?: LiveSample;
  readonly marks: string[];
}

/** Hears the events of a page until `isEnough`; the last of each. */
async function look(url: string, isEnough: (seen: Seen) => boolean | Promise<boolean>): Promise<Seen> {
  const seen: Seen = { marks: [] };
  const ending = new AbortController();
  const response = await fetch(`${url}/events`, { signal: ending.signal });
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const events = text.split('\n\n');
    text = events.pop() as string;
    for (const event of events) {
      const [, kind, json] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      if (kind === 'scene') seen.scene = JSON.parse(json) as LiveScene;
      if (kind === 'sample') seen.sample = JSON.parse(json) as LiveSample;
      if (kind === 'mark') seen.marks.push((JSON.parse(json) as LiveMark).text);
    }
    if (await isEnough(seen)) break;
  }
  ending.abort();
  return seen;
}

/** Once the server is there. */
async function untilServed(url: string): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200);
}

it('waits for a page, shows it the flows of the run and what changes, and lets it change links', async () => {
  const [port] = await freePorts(1);
  const token = await scratchFile('token', '0123456789abcdef\n');
  await chmod(token, 0o600);
  const scenario = await scratchFile('scenario.yaml', SCENARIO);
  const web = ['--web', `127.0.0.1:${port}`, '--web-token', token];
  const lab = new XpassProcess(['lab', scenario, '--rehearsal', '200ms', '--json', ...web]);
  const url = `http://127.0.0.1:${port}`;
  await untilServed(url);

  const running = await look(
    url,
    ({ scene, sample }) => /running/.test(`${scene?.title}`) && sample?.flows.length === 2,
  );
  expect(running.scene).toMatchObject({ controls: { links: true }, title: 'xpass lab scenario: running' });
  expect(running.scene?.nodes.map(({ name }) => name).sort()).toEqual(['h1', 'h2', 'h3', 'h4', 'left', 'right']);
  expect(running.sample?.flows.map(({ name }) => name.replace(/ #\d+$/, '')).sort()).toEqual(['h1->h3', 'h2->h4']);
  expect(running.sample?.flows.every(({ algorithm }) => algorithm === 'steady')).toBe(true);
  expect(running.sample?.ports).toHaveLength(running.scene?.directions.length ?? 0);

  const answer = await fetch(`${url}/control`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer 0123456789abcdef' },
    body: JSON.stringify({ verb: 'set', link: 'h1', changes: { lossRate: 0.5 } }),
  });
  expect(answer.status, await answer.text()).toBe(200);
  const wanted = [/h1.*loss .* to 50/, /h2.*down/];
  const changed = await look(url, ({ marks }) => wanted.every((each) => marks.some((text) => each.test(text))));
  expect(changed.marks.length).toBeGreaterThan(1);

  const { code, stdout } = await lab.ended;
  expect(code).toBe(0);
  const { links } = JSON.parse(stdout) as { links: { name: string; lost: number }[] };
  expect(links.find(({ name }) => name === 'h1->left')?.lost).toBeGreaterThan(0);
  await expect(fetch(url)).rejects.toThrow();
});
