import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { quietCores } from './quiet-cores.js';
import { within, XpassProcess } from './switch-lab.js';

// Flows of one algorithm over real processes and a link of 100 Mbit/s, and EC4 beside DCTCP: the same files in virtual time first, where nothing is late by chance.

interface Figures {
  readonly utilisation: number;
  readonly jain: number;
  readonly links: readonly { readonly name: string; readonly data_queue_bytes_mean: number }[];
  readonly flows: readonly { readonly group: string; readonly goodput_bps: number }[];
}

interface Case {
  readonly name: string;
  readonly set: readonly string[];
  /** Where its algorithm wants the queue, B: K, the target delay less the RTT without queues (2 ms), the lower threshold of the RTT; none with credits alone. */
  readonly setPointBytes: number;
}

const MARKS_BYTES = 21_429;
/** One flow of each, and then as many as make windows small. */
const FLOWS = [2, 8];
const CASES: readonly Case[] = [
  { name: 'dctcp', set: ['algorithm=dctcp'], setPointBytes: MARKS_BYTES },
  { name: 'swift', set: ['algorithm=swift', 'parameters.base_target=6000'], setPointBytes: 80_000 },
  { name: 'cubic', set: ['algorithm=cubic'], setPointBytes: MARKS_BYTES },
  { name: 'timely', set: ['algorithm=timely'], setPointBytes: 61_520 },
  {
    name: 'hull',
    set: ['algorithm=hull', 'topology.phantomDrain=0.95', 'topology.ecnThreshold=9100'],
    setPointBytes: 9_100,
  },
  { name: 'ec4', set: ['algorithm=ec4'], setPointBytes: MARKS_BYTES },
  { name: 'steady', set: ['algorithm=steady'], setPointBytes: 0 },
];
/** What may stand in the queue besides, in the mean (ours): what one of the processes that is some milliseconds late holds back and then sends. */
const LATE_BYTES = 8 * 9_038;
/** Shorter than in the file. */
const TIMES = ['duration=5s', 'warmUp=1s'];

async function figures(command: 'sim' | 'lab', file: string, set: readonly string[]): Promise<Figures> {
  const path = fileURLToPath(new URL(`../../deploy/scenarios/${file}.yaml`, import.meta.url));
  const changes = [...TIMES, ...set].flatMap((change) => ['--set', change]);
  const { code, stdout, stderr } = await within(
    new XpassProcess([command, path, ...changes, '--json']).ended,
    `the end of xpass ${command}`,
  );
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Figures;
}

function queueBytes({ links }: Figures): number {
  return links.find(({ name }) => name === 's1->h1')?.data_queue_bytes_mean ?? Number.NaN;
}

/** Runs over processes, at most: another program that takes the cores for a moment makes one of them late, so a run that it disturbed is done again. */
const RUNS = 3;
/** For how long cores that others use are waited for, before each run. */
const QUIET_WAIT_MS = 15_000;

/** What is wrong with the figures of a run over processes, unless a later run is better; null where the cores were never free. */
async function wrongOverProcesses(play: () => Promise<string>): Promise<string | null> {
  let wrong = '';
  let isQuiet = true;
  for (let run = 0; run < RUNS; run++) {
    isQuiet = (await quietCores(QUIET_WAIT_MS)) && isQuiet;
    const found = await play();
    if (found === '') return '';
    wrong += `run ${run + 1}: ${found}; `;
  }
  return isQuiet ? wrong : null;
}

function wrongOf(run: Figures, { setPointBytes }: Case): string {
  const { utilisation, jain } = run;
  const isGood = utilisation >= 0.9 && jain >= 0.9 && queueBytes(run) <= setPointBytes + LATE_BYTES;
  return isGood ? '' : `utilisation ${utilisation}, Jain ${jain}, mean queue ${queueBytes(run)} B`;
}

/** What EC4 gets for each bit of DCTCP, and who starves. */
function wrongOfMix({ flows, utilisation }: Figures): string {
  const sum = (group: string) =>
    flows.filter((flow) => flow.group === group).reduce((all, { goodput_bps }) => all + goodput_bps, 0);
  const ratio = sum('credits') / sum('dctcp');
  const least = Math.min(...flows.map(({ goodput_bps }) => goodput_bps));
  const isGood = ratio >= 0.7 && ratio <= 1.4 && least >= 0.1 * 25e6 && utilisation >= 0.9;
  return isGood ? '' : `ratio ${ratio}, least flow ${least} bit/s, utilisation ${utilisation}`;
}

const SKIPPED = 'the cores were in use by other programs';

describe.each(CASES)('flows of $name on a link of 100 Mbit/s', (each) => {
  it.for(FLOWS)('fill it, share it and keep its queue: %d', { timeout: 300_000 }, async (flows, context) => {
    const set = [...each.set, `topology.hosts=${flows + 1}`];
    expect(wrongOf(await figures('sim', 'shared-link', set), each)).toBe('');
    const wrong = await wrongOverProcesses(async () => wrongOf(await figures('lab', 'shared-link', set), each));
    if (wrong === null) context.skip(SKIPPED);
    expect(wrong).toBe('');
  });
});

describe('EC4 beside DCTCP in the queue of a link of 100 Mbit/s', () => {
  it('leaves it as much as it takes', { timeout: 300_000 }, async (context) => {
    expect(wrongOfMix(await figures('sim', 'ec4-beside-dctcp', []))).toBe('');
    const wrong = await wrongOverProcesses(async () => wrongOfMix(await figures('lab', 'ec4-beside-dctcp', [])));
    if (wrong === null) context.skip(SKIPPED);
    expect(wrong).toBe('');
  });
});
