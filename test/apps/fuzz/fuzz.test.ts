import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import {
  type FuzzReport,
  findingLines,
  reportJson,
  runFuzz,
  scenarioFromJson,
  scenarioToJson,
  summaryLine,
} from '../../../src/apps/fuzz/fuzz.js';
import { type FuzzThread, fuzzAll, type SeedFinding } from '../../../src/apps/fuzz/fuzz-all.js';
import { FUZZ_OPTIONS } from '../../../src/apps/fuzz/options.js';
import type { FuzzAnswer, FuzzRequest } from '../../../src/apps/fuzz/try-world.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { Results } from '../../../src/apps/shared/results.js';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import { said } from '../../harness/said.js';

it('writes scenarios that are read again to the last bit', () => {
  for (let seed = 0; seed < 20; seed++) {
    const scenario = randomScenario(seed);
    expect(scenarioFromJson(scenarioToJson(scenario), 'file')).toEqual(scenario);
  }
});

it('says what is wrong with other files', () => {
  expect(() => scenarioFromJson('{', 'a.json')).toThrow("'a.json' is not JSON");
  for (const text of ['{}', 'null', '{"format":"xpass-fuzz-1"}', '{"format":"other","scenario":{}}']) {
    expect(() => scenarioFromJson(text, 'a.json')).toThrow('allowed: a file with the format xpass-fuzz-1');
  }
});

const found = {
  seed: 12,
  finding: { check: 'census', sentence: 'a frame is missing', atNs: 2e6, stack: '' },
  smallest: null,
};
const report: FuzzReport = {
  worlds: 100,
  firstSeed: 5,
  kind: { frames: 250 },
  code: 'commit 0123456789ab',
  simulatedNs: 7.2e12,
  events: 50_000,
  wallS: 4,
  findings: [found],
  files: new Map([[12, 'xpass-fuzz-12.json']]),
};

it('says how many worlds broke, and how fast they were', () => {
  expect(summaryLine(report)).toBe(
    '100 worlds (seeds 5 to 104, commit 0123456789ab), 1 broke: 2.00 simulated hours in 4.000 s, 25 seeds/s, 12,500 events/s',
  );
  expect(summaryLine({ ...report, findings: [] })).toContain('none broke');
});

it('says what broke and how to see it again', () => {
  expect(findingLines(found, report, 'xpass-fuzz-12.json')).toEqual([
    'seed 12: a frame is missing (census, at 2.000 ms)',
    '  again, with commit 0123456789ab: xpass fuzz --seed 12 --frames 250',
    '  smallest: xpass fuzz --replay xpass-fuzz-12.json',
  ]);
  expect(findingLines(found, report, undefined)).toHaveLength(2);
  const long = { ...report, kind: { frames: 250, hostile: true, seconds: 60 } };
  expect(findingLines(found, long, undefined)[1]).toContain('--hostile --seconds 60 --seed 12 --frames 250');
});

it('is one object for programs', () => {
  expect(reportJson(report)).toMatchObject({
    seeds: 100,
    first_seed: 5,
    code: 'commit 0123456789ab',
    simulated_s: 7200,
    seeds_per_s: 25,
    findings: [{ seed: 12, check: 'census', at_s: 0.002, file: 'xpass-fuzz-12.json' }],
  });
});

type Invocation = Parameters<typeof runFuzz>[0];

/** Runs the command with these options; what it printed, and how it ended. */
async function run(given: Record<string, string>): Promise<{ status: number; text: string }> {
  const stream = new PassThrough();
  const commandLine = new Map(Object.entries(given).map(([name, text]) => [name, [text]]));
  const invocation: Partial<Invocation> = {
    name: 'fuzz',
    options: resolveOptions(FUZZ_OPTIONS, commandLine),
    positionals: [],
    results: new Results(stream),
    terminal: new PassThrough(),
    onInterrupt: () => () => {},
  };
  const status = await runFuzz(invocation as Invocation);
  return { status, text: said(stream) };
}

/** A thread in which every tenth seed breaks, and seed 7 hangs. */
class BreakingThread implements FuzzThread {
  isOver = false;
  readonly requests: FuzzRequest[];

  constructor(requests: FuzzRequest[]) {
    this.requests = requests;
  }

  async ask(request: FuzzRequest): Promise<FuzzAnswer> {
    this.requests.push(request);
    const check = request.seed === 7 ? 'hang' : 'census';
    const finding = { check, sentence: `seed ${request.seed}`, atNs: 1, stack: '' };
    const isBroken = request.seed % 10 === 0 || request.seed === 7;
    return {
      trial: { finding: isBroken ? finding : null, simulatedNs: 2, events: 3 },
      smallest: request.minimise ? randomScenario(1) : null,
    };
  }

  async stop(): Promise<void> {
    this.isOver = true;
  }
}

it('plays the worlds of its seeds and says how it went', async () => {
  const { status, text } = await run({ seeds: '3', seed: '11', frames: '20', jobs: '2', json: 'true' });
  expect(status).toBe(0);
  expect(JSON.parse(text)).toMatchObject({ seeds: 3, first_seed: 11, frames: 20, findings: [] });
  const one = await run({ seed: '11', frames: '20' });
  expect(one.text).toMatch(/^1 worlds \(seeds 11 to 11, (commit|version) .*\), none broke/);
  await expect(run({ seconds: '5' })).rejects.toThrow('give --hostile too');
});

it('plays the world of a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'xpass-fuzz-'));
  try {
    const path = join(directory, 'world.json');
    await writeFile(path, scenarioToJson(randomScenario(3, 20)));
    expect(await run({ replay: path })).toEqual({ status: 0, text: 'nothing broke\n' });
    // What cannot be is a world that breaks.
    const impossible = (await readFile(path, 'utf8')).replace(/"maxFrameBytes": \d+/, '"maxFrameBytes": 1');
    await writeFile(path, impossible);
    expect((await run({ replay: path })).status).toBe(1);
    expect(await readdir(directory)).toEqual(['world.json']);
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('tells of each seed that breaks, makes the first of each kind smaller, and replaces a thread that hangs', async () => {
  const requests: FuzzRequest[] = [];
  const told: SeedFinding[] = [];
  let threads = 0;
  const totals = await fuzzAll({
    firstSeed: 1,
    count: 30,
    kind: { frames: 20 },
    jobs: 1,
    onProgress: () => {},
    onFinding: async (found) => void told.push(found),
    signal: new AbortController().signal,
    start: () => {
      threads++;
      return new BreakingThread(requests);
    },
  });
  expect(told.map(({ seed, smallest }) => [seed, smallest !== null])).toEqual([
    [7, false],
    [10, true],
    [20, false],
    [30, false],
  ]);
  expect(threads).toBe(2);
  expect(totals).toMatchObject({ worlds: 30, simulatedNs: 60, events: 90 });
  expect(requests.filter(({ minimise }) => minimise).map(({ seed }) => seed)).toEqual([10]);
});

it('ends when it is told to', async () => {
  const abort = new AbortController();
  const totals = await fuzzAll({
    firstSeed: 1,
    count: 1_000,
    kind: { frames: 20 },
    jobs: 1,
    onProgress: ({ worlds }) => {
      if (worlds === 5) abort.abort();
    },
    onFinding: async () => {},
    signal: abort.signal,
    start: () => new BreakingThread([]),
  });
  expect(totals.worlds).toBe(5);
});
