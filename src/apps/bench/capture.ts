// Tested by test/loopback/bench.test.ts
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from '../shared/companion.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import { coresText, cpuUsPerFrame, measurePerf, type Pace } from './loopback.js';
import type { Workbench } from './workbench.js';

const PAYLOAD_BYTES = 1_472;
const WITHOUT = { rawIs: 'without a capture' };
/** A ring, so that long runs do not fill the disk; two files of half a second or more (ours). */
const RING = ['--capture-files', '2', '--capture-size', '256MB'];
/** What is left to write at the end is 64 MiB at most; slow disks write 10 MB/s (ours). */
const CLOSING_MS = 10_000;

/** What a capture costs a switch that has as much to do as it can: the same work without and with it, in turns. */
export const CAPTURE: readonly Benchmark[] = [
  { name: 'capture/headers', how: [] },
  { name: 'capture/whole', how: ['--capture-snaplen', `${PAYLOAD_BYTES}`] },
].map(({ name, how }) => ({
  name,
  group: 'capture',
  round: 'capture',
  run: (bench: Workbench) => measureCapture(bench, how),
}));

/** What the switch says at its end. */
interface Captured {
  readonly seen: number;
  readonly written: number;
  readonly lost: number;
}

async function measureCapture(bench: Workbench, how: readonly string[]): Promise<BenchRow[]> {
  const raw = await bench.oncePerRound('without', async () => (await measureSwitch(bench, [])).pace);
  const folder = await mkdtemp(join(tmpdir(), 'xpass-bench-'));
  try {
    const options = ['--capture', join(folder, 'lab.pcapng'), ...RING, ...how];
    const { pace, captured } = await measureSwitch(bench, options);
    return [...captureRows(pace, raw), writtenRow(captured)];
  } finally {
    await bench.clear();
    await rm(folder, { recursive: true, force: true });
  }
}

function captureRows(ours: Pace, raw: Pace): BenchRow[] {
  const [value, without] = [ours, raw].map((pace) => 2e6 / cpuUsPerFrame(pace, 'switch'));
  return [
    {
      value: ours.framesPerSecond,
      unit: 'frames/s',
      raw: raw.framesPerSecond,
      ...WITHOUT,
      note: coresText(ours.cores),
    },
    { part: 'forwarding', value, unit: 'frames a core and second', raw: without, ...WITHOUT },
  ];
}

/** Of all frames, those of the warm-up too. */
function writtenRow({ seen, written, lost }: Captured): BenchRow {
  return { part: 'written', value: written / seen, unit: 'of the frames', note: `${lost} of ${seen} not written` };
}

/** A flow through a switch with these options. */
async function measureSwitch(
  bench: Workbench,
  options: readonly string[],
): Promise<{ pace: Pace; captured: Captured }> {
  const how = ['--frame-size', `${PAYLOAD_BYTES}`];
  const lan = bench.start('switch', '--listen', ':0', '--hosts', '2', '--json', ...options);
  const address = String((await lan.event('listening')).address);
  await bench.listen('perf', '-s', '--switch', address, '--host-id', '2', ...how);
  const pace = await measurePerf(bench, ['2', '--switch', address, ...how]);
  const captured = options.length === 0 ? { seen: 0, written: 0, lost: 0 } : await endOf(lan);
  await bench.clear();
  return { pace, captured };
}

async function endOf(lan: Child): Promise<Captured> {
  const said = lan.event('captured', { takesMs: CLOSING_MS });
  const ended = lan.stop();
  const { seen, written, lost } = (await said) as unknown as Captured;
  await ended;
  return { seen, written, lost };
}
