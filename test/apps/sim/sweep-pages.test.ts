import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratchDirectory } from '../../harness/scratch.js';
import { callSim, fileOf } from './invocation.js';

// Whole runs, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 });

it('a sweep with --report has a page of charts, with a link to the page of each run', async () => {
  const path = await fileOf('topology: { pairs: 1, rate: 1gbit }\nflows: [{ kind: pairs, bytes: 30kB }]\n');
  const report = join(await scratchDirectory(), 'out.html');
  const { output } = await callSim([path], {
    sweep: ['algorithm=steady,naive'],
    seeds: ['2'],
    report: [report],
    json: ['true'],
  });
  expect(JSON.parse(output).runs).toHaveLength(4);
  const page = await readFile(report, 'utf8');
  expect(page).toContain('4 runs done');
  const links = [...page.matchAll(/href="(out\.runs\/[0-9a-f]{16}\.html)"/g)].map(([, href]) => href);
  expect(new Set(links).size).toBe(4);
  for (const href of links) await access(join(dirname(report), href));
  expect(await readFile(join(dirname(report), links[0]), 'utf8')).toContain(`xpass sim ${path} --set algorithm=steady`);
});

it('a report that cannot be written is named before the first run', async () => {
  const path = await fileOf('topology: { pairs: 1, rate: 1gbit }\nflows: [{ kind: pairs, bytes: 30kB }]\n');
  const report = join(await scratchDirectory(), 'nowhere', 'out.html');
  await expect(callSim([path], { seeds: ['2'], report: [report] })).rejects.toThrow(/nowhere/);
});
