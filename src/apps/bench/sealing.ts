// Tested by test/loopback/bench.test.ts
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKey, writeKeyFile } from '../../net/key-file.js';
import { loadNative } from '../../udp/mmsg/native.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import { measureXpass, paceRows, type Work } from './loopback.js';
import type { SealingFigures, SealingOrder } from './sealing.child.js';
import type { Workbench } from './workbench.js';

const BARE = { rawIs: 'node:crypto' };
/** Of one benchmark, if `--seconds` does not say less: its times vary by a few per cent then (ours). */
const MOST_SECONDS = 3;
/** Kinds of sealer to time, and seconds for each. */
const SEALERS = 3;

/** What keys cost: processor time to seal and to open a frame. docs/decisions/0025-sealed-frames.md */
const CALLS: readonly Benchmark[] = [
  { name: 'sealing/credit', group: 'sealing', frameBytes: null },
  { name: 'sealing/1472', group: 'sealing', frameBytes: 1_472 },
  { name: 'sealing/8972', group: 'sealing', frameBytes: 8_972 },
].map(({ frameBytes, ...named }) => ({ ...named, run: (bench: Workbench) => measure(bench, frameBytes) }));

/** Whole hosts with keys beside the same without. */
const SEALED_HOSTS: readonly Benchmark[] = [1_472, 8_972].flatMap((payloadBytes) =>
  (['dgram', 'mmsg'] as const).map((datapath) => ({
    name: `sealed${datapath === 'mmsg' ? '-mmsg' : ''}/${payloadBytes}`,
    group: 'sealing',
    run: (bench: Workbench) => measureHosts(bench, { path: 'direct', payloadBytes, datapath, flows: 1 }),
  })),
);

export const SEALING: readonly Benchmark[] = [...CALLS, ...SEALED_HOSTS];

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

/** Frames/s and processor time of both ends. The two turns follow each other, so the ratio says more than either figure. */
async function measureHosts(bench: Workbench, work: Work): Promise<BenchRow[]> {
  const missing = work.datapath === 'mmsg' ? await loadNative() : null;
  if (typeof missing === 'string') return [{ value: Number.NaN, unit: 'frames/s', note: missing }];
  const directory = await mkdtemp(join(tmpdir(), 'xpass-bench-'));
  try {
    const keyFile = join(directory, 'key');
    await writeKeyFile(keyFile, makeKey('secret'));
    const plain = await measureXpass(bench, work);
    await bench.clear();
    const sealed = await measureXpass(bench, { ...work, keyFile });
    return paceRows(sealed, plain).map((row) => ({ ...row, rawIs: 'without keys' }));
  } finally {
    await rm(directory, { recursive: true });
  }
}
