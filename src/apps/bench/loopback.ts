// Tested by test/loopback/bench.test.ts and test/apps/bench/per-frame.test.ts

import { loadNative } from '../../udp/mmsg/native.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { coresText, cpuUsPerFrame, type Pace } from './per-frame.js';
import { measureRaw } from './raw.js';
import type { Workbench } from './workbench.js';

const PATHS = ['direct', 'switch'] as const;
type Path = (typeof PATHS)[number];
/** What the bare program does on it. */
const KINDS = { direct: 'echo', switch: 'relay' } as const;
/** Those with mmsg are measured against the same bare program, which uses dgram. */
const DATAPATHS = ['dgram', 'mmsg'] as const;

/** UDP payloads of full data frames: the default, that of jumbo frames, and one near the largest there is. */
const PAYLOADS = [1_472, 8_972, 60_000];
const FLOWS = [1, 16, 256];

/** What a process can move: data frames a second over unlimited links, beside the bare program that does the same work. */
export const LOOPBACK: readonly Benchmark[] = PATHS.flatMap((path) =>
  PAYLOADS.flatMap((payloadBytes) => [
    ...DATAPATHS.flatMap((datapath) => FLOWS.map((flows) => benchmarkOf({ path, payloadBytes, datapath, flows }))),
    checkBenchmark(path, payloadBytes),
  ]),
);

/** What the frame check alone costs: the bare program whose ends take the CRC of each data frame, beside the same without (PROTOCOL §2.6). */
function checkBenchmark(path: Path, payloadBytes: number): Benchmark {
  const name = `${path}/${payloadBytes}/check`;
  return {
    name,
    group: 'loopback',
    rareParts: [],
    round: `${path}/${payloadBytes}`,
    run: async (bench) => {
      const raw = await bareOf(bench, path, payloadBytes);
      const checked = await measureRaw(bench, { kind: KINDS[path], payloadBytes, isChecked: true });
      return paceRows(name, checked, raw);
    },
  };
}

function benchmarkOf(work: Work): Benchmark {
  const { path, payloadBytes, flows } = work;
  return {
    name: nameOf(work),
    group: 'loopback',
    rareParts: isRare(work) ? [`${payloadBytes}`, `${flows}`] : [],
    round: `${path}/${payloadBytes}`,
    run: (bench) => measure(bench, work),
  };
}

function nameOf({ path, payloadBytes, datapath, flows }: Work): string {
  return `${path}${datapath === 'mmsg' ? '-mmsg' : ''}/${payloadBytes}/${flows}`;
}

/** Run only when asked for: of the largest frames, those of one flow and dgram say most, and of batches few flows. */
function isRare({ payloadBytes, datapath, flows }: Work): boolean {
  if (payloadBytes === 60_000) return flows > 1 || datapath === 'mmsg';
  return datapath === 'mmsg' && flows === 256;
}

interface Work {
  readonly path: Path;
  readonly payloadBytes: number;
  readonly datapath: (typeof DATAPATHS)[number];
  readonly flows: number;
}

async function measure(bench: Workbench, work: Work): Promise<BenchResult[]> {
  const { path, payloadBytes, datapath } = work;
  const missing = datapath === 'mmsg' ? await loadNative() : null;
  // perf would take dgram instead, and the figure would be of something else.
  if (typeof missing === 'string') return [unmeasured(nameOf(work), missing)];
  const raw = await bareOf(bench, path, payloadBytes);
  const ours = await measureXpass(bench, work);
  const name = nameOf(work);
  return [...paceRows(name, ours, raw), ...(path === 'direct' ? [] : [forwarding(name, ours, raw)])];
}

function bareOf(bench: Workbench, path: Path, payloadBytes: number): Promise<Pace> {
  return bench.oncePerRound(`raw/${path}/${payloadBytes}`, () =>
    measureRaw(bench, { kind: KINDS[path], payloadBytes }),
  );
}

function paceRows(name: string, ours: Pace, raw: Pace): BenchResult[] {
  const note = coresText(ours.cores);
  return [
    { name, value: ours.framesPerSecond, unit: 'frames/s', raw: raw.framesPerSecond, note },
    { name: `${name}/cpu`, value: cpuUsPerFrame(ours), unit: 'us of CPU a frame', raw: cpuUsPerFrame(raw) },
  ];
}

function unmeasured(name: string, note: string): BenchResult {
  return { name, value: Number.NaN, unit: 'frames/s', raw: null, note };
}

/** What one core forwards, credits and data: the switch against the bare relay, whatever the other processes have of the cores. */
function forwarding(name: string, ours: Pace, raw: Pace): BenchResult {
  const perCore = (pace: Pace, role: string): number => 2e6 / cpuUsPerFrame(pace, role);
  return {
    name: `${name}/forwarding`,
    value: perCore(ours, 'switch'),
    unit: 'frames a core and second',
    raw: perCore(raw, 'raw-relay'),
    rawIs: 'the bare relay',
  };
}

async function measureXpass(bench: Workbench, { path, payloadBytes, datapath, flows }: Work): Promise<Pace> {
  const how = ['--frame-size', `${payloadBytes}`, '--datapath', datapath];
  const to = path === 'direct' ? await directServer(bench, how) : await switchedServer(bench, how);
  const times = ['-t', `${bench.settings.seconds}s`, '-O', `${bench.warmUpSeconds}s`];
  const client = bench.start('perf', '-c', ...to, ...how, ...times, '-P', `${flows}`, '--json');
  const takesMs = 1e3 * bench.perfSeconds(bench.settings.seconds);
  const [cores, { frames_per_s }] = await Promise.all([bench.coresOfPerf(), client.result({ takesMs })]);
  return { framesPerSecond: Number(frames_per_s), cores };
}

/** Starts a server; returns what a client is told to find it. */
async function directServer(bench: Workbench, how: readonly string[]): Promise<string[]> {
  return [(await bench.listen('perf', '-s', '--listen', ':0', ...how)).address];
}

async function switchedServer(bench: Workbench, how: readonly string[]): Promise<string[]> {
  const { address } = await bench.listen('switch', '--listen', ':0', '--hosts', '2', ...how);
  await bench.listen('perf', '-s', '--switch', address, '--host-id', '2', ...how);
  return ['2', '--switch', address];
}
