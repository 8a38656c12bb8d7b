// Tested by test/loopback/bench.test.ts
import type { Benchmark, BenchRow } from './benchmark.js';
import type { SealingFigures, SealingOrder } from './sealing.child.js';
import type { Workbench } from './workbench.js';

const BARE = { rawIs: 'node:crypto' };
/** Of one benchmark, if `--seconds` does not say less: its times vary by a few per cent then (ours). */
const MOST_SECONDS = 3;
/** Kinds of sealer to time, and seconds for each. */
const SEALERS = 3;

/** What keys cost: processor time to seal and to open a frame. docs/decisions/0025-sealed-frames.md */
export const SEALING: readonly Benchmark[] = [
  { name: 'sealing/credit', group: 'sealing', frameBytes: null },
  { name: 'sealing/1472', group: 'sealing', frameBytes: 1_472 },
  { name: 'sealing/8972', group: 'sealing', frameBytes: 8_972 },
].map(({ frameBytes, ...named }) => ({ ...named, run: (bench: Workbench) => measure(bench, frameBytes) }));

async function measure(bench: Workbench, frameBytes: number | null): Promise<BenchRow[]> {
  const seconds = Math.min(bench.settings.seconds, MOST_SECONDS);
  const order: SealingOrder = { frameBytes, seconds };
  const { ready } = await bench.open<SealingFigures>('sealing', order, SEALERS * seconds * 1e3);
  const { ours, fallback, bare, kind } = ready;
  const rows: BenchRow[] = [];
  for (const part of ['seal', 'open'] as const) {
    const note = frameBytes === null ? {} : { note: `by ${kind}` };
    rows.push({ part, value: ours[part], unit: 'us', raw: bare[part], ...BARE, ...note });
    // Credits are sealed in one way everywhere.
    if (frameBytes === null || kind === 'node') continue;
    rows.push({ part: `${part}/fallback`, value: fallback[part], unit: 'us', raw: bare[part], ...BARE });
  }
  return rows;
}
