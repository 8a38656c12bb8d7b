// Tested by test/loopback/bench.test.ts

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchResult } from './benchmark.js';
import type { SimulatorFigures } from './sim.child.js';
import { SIMULATOR_WORKS } from './sim-scenarios.js';

const AUTHORS = { rawIs: "the authors' ns-2 code in C++" };
const MEBIBYTE = 1024 * 1024;

/** How fast the simulator is on one core, beside the authors' simulator where its figure is known; how many seconds are measured is not for `--seconds` to say. */
export const SIMULATOR: readonly Benchmark[] = SIMULATOR_WORKS.map(({ name, document, authorsS, isRare = false }) => ({
  name,
  group: 'sim',
  rareParts: isRare ? [name.split('/').at(-1) as string] : [],
  mostRuns: 1,
  isSlow: true,
  run: async () => rows(name, await runAlone(document), authorsS),
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

/** A run in a process of its own, which does not outlive this one. */
function runAlone(document: object): Promise<SimulatorFigures> {
  const child = fork(fileURLToPath(new URL('sim.child.js', import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = (): void => {
    child.kill();
  };
  process.once('exit', kill);
  return new Promise<SimulatorFigures>((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as SimulatorFigures));
    child.once('exit', (code) => reject(new Error(`the simulator's process ended with status ${code}`)));
    child.send(document);
  }).finally(() => process.off('exit', kill));
}
