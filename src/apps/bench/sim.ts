// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchResult } from './benchmark.js';
import type { SimulatorFigures } from './sim.child.js';
import { SIMULATOR_WORKS, type SimulatorWork } from './sim-scenarios.js';
import type { Workbench } from './workbench.js';

const AUTHORS = { rawIs: "the authors' ns-2 code in C++" };
const MEBIBYTE = 1024 * 1024;

/** How fast the simulator is on one core, beside the authors' simulator where its figure is known; how many seconds are measured is not for `--seconds` to say. */
export const SIMULATOR: readonly Benchmark[] = SIMULATOR_WORKS.map((work) => ({
  name: work.name,
  group: 'sim',
  rareParts: work.isRare === true ? [work.name.split('/').at(-1) as string] : [],
  mostRuns: 1,
  isSlow: true,
  run: async (bench: Workbench) => rows(work.name, await runAlone(bench, work), work.authorsS),
}));

function rows(name: string, figures: SimulatorFigures, authorsS: number | null): BenchResult[] {
  const { wallS, events, frameHops, memoryBytes } = figures;
  return [
    { name: `${name}/wall`, value: wallS, unit: 's', raw: authorsS, ...(authorsS !== null && AUTHORS) },
    { name: `${name}/events`, value: events / wallS, unit: 'events/s', raw: null },
    { name: `${name}/frame-hops`, value: frameHops / wallS, unit: 'frames/s', raw: null },
    { name: `${name}/memory`, value: memoryBytes / MEBIBYTE, unit: 'MiB', raw: null },
  ];
}

/** A run in a process of its own. It answers nothing while it simulates, so all that bounds it is its time. */
function runAlone(bench: Workbench, { document, mostS }: SimulatorWork): Promise<SimulatorFigures> {
  const child = bench.fork('simulator', 'sim.child.js');
  const figures = child.next<SimulatorFigures>((message) => 'wallS' in message, 'report', { takesMs: mostS * 1e3 });
  child.tell(document);
  return figures;
}
