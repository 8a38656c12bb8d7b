// Tested by test/loopback/bench.test.ts and test/apps/bench/loopback.test.ts

import { loadNative } from '../../udp/mmsg/native.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import { measureRaw } from './raw.js';
import type { Cores, Workbench } from './workbench.js';

/** How fast something went, and what its processes used for it. */
export interface Pace {
  readonly framesPerSecond: number;
  readonly cores: Cores;
}

/** Processor time of a data frame and its credit, of one process or of all; NaN where it was not measured. */
export function cpuUsPerFrame({ framesPerSecond, cores }: Pace, role?: string): number {
  const used = [...cores].filter(([name]) => role === undefined || name === role).map(([, cores]) => cores);
  if (used.length === 0) return Number.NaN;
  return (used.reduce((sum, cores) => sum + cores, 0) * 1e6) / framesPerSecond;
}

/** `cores: server 0.98, client 1.00` */
export function coresText(cores: Cores): string {
  return `cores: ${[...cores].map(([role, used]) => `${role} ${used.toFixed(2)}`).join(', ')}`;
}

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
  PAYLOADS.flatMap((payloadBytes) => {
    const benchmark = (name: string, run: Benchmark['run'], rareParts: readonly string[] = []): Benchmark => {
      return { name, group: 'loopback', rareParts, round: `${path}/${payloadBytes}`, run };
    };
    const works = DATAPATHS.flatMap((datapath) => FLOWS.map((flows) => ({ path, payloadBytes, datapath, flows })));
    return [
      ...works.map((work) => benchmark(nameOf(work), (bench) => measure(bench, work), rareParts(work))),
      benchmark(`${path}/${payloadBytes}/check`, (bench) => measureCheck(bench, path, payloadBytes)),
    ];
  }),
);

export interface Work {
  readonly path: Path;
  readonly payloadBytes: number;
  readonly datapath: (typeof DATAPATHS)[number];
  readonly flows: number;
  /** Of both ends, which seal their frames then. */
  readonly keyFile?: string;
}

function nameOf({ path, payloadBytes, datapath, flows }: Work): string {
  return `${path}${datapath === 'mmsg' ? '-mmsg' : ''}/${payloadBytes}/${flows}`;
}

/** Run only when asked for: of the largest frames, those of one flow and dgram say most, and of batches few flows. */
function rareParts({ payloadBytes, datapath, flows }: Work): string[] {
  const isRare = payloadBytes === 60_000 ? flows > 1 || datapath === 'mmsg' : datapath === 'mmsg' && flows === 256;
  return isRare ? [`${payloadBytes}`, `${flows}`] : [];
}

/** What the frame check alone costs: the bare program whose ends take the CRC of each data frame, beside the same without (PROTOCOL §2.6). */
async function measureCheck(bench: Workbench, path: Path, payloadBytes: number): Promise<BenchRow[]> {
  const raw = await bareOf(bench, path, payloadBytes);
  return paceRows(await measureRaw(bench, { kind: KINDS[path], payloadBytes, isChecked: true }), raw);
}

async function measure(bench: Workbench, work: Work): Promise<BenchRow[]> {
  const { path, payloadBytes, datapath } = work;
  const missing = datapath === 'mmsg' ? await loadNative() : null;
  // perf would take dgram instead, and the figure would be of something else.
  if (typeof missing === 'string') return [{ value: Number.NaN, unit: 'frames/s', note: missing }];
  const raw = await bareOf(bench, path, payloadBytes);
  const ours = await measureXpass(bench, work);
  return [...paceRows(ours, raw), ...(path === 'direct' ? [] : [forwarding(ours, raw)])];
}

function bareOf(bench: Workbench, path: Path, payloadBytes: number): Promise<Pace> {
  return bench.oncePerRound(`raw/${path}/${payloadBytes}`, () =>
    measureRaw(bench, { kind: KINDS[path], payloadBytes }),
  );
}

export function paceRows(ours: Pace, raw: Pace): [BenchRow, BenchRow] {
  return [
    { value: ours.framesPerSecond, unit: 'frames/s', raw: raw.framesPerSecond, note: coresText(ours.cores) },
    { part: 'cpu', value: cpuUsPerFrame(ours), unit: 'us of CPU a frame', raw: cpuUsPerFrame(raw) },
  ];
}

/** What one core forwards, credits and data: the switch against the bare relay, whatever the other processes have of the cores. */
function forwarding(ours: Pace, raw: Pace): BenchRow {
  const [value, relayed] = [2e6 / cpuUsPerFrame(ours, 'switch'), 2e6 / cpuUsPerFrame(raw, 'raw-relay')];
  return { part: 'forwarding', value, unit: 'frames a core and second', raw: relayed, rawIs: 'the bare relay' };
}

export async function measureXpass(bench: Workbench, work: Work): Promise<Pace> {
  const { path, payloadBytes, datapath, flows, keyFile } = work;
  const keys = keyFile === undefined ? [] : ['--key', keyFile];
  const how = ['--frame-size', `${payloadBytes}`, '--datapath', datapath, ...keys];
  const to = path === 'direct' ? await directServer(bench, how) : await switchedServer(bench, how);
  return measurePerf(bench, [...to, ...how, '-P', `${flows}`]);
}

/** What perf's client reports of a server that runs; `to` is whom it calls and how. */
export async function measurePerf(bench: Workbench, to: readonly string[]): Promise<Pace> {
  const times = ['-t', `${bench.settings.seconds}s`, '-O', `${bench.warmUpSeconds}s`];
  const client = bench.start('perf', '-c', ...to, ...times, '--json');
  const takesMs = 1e3 * bench.perfSeconds(bench.settings.seconds);
  const [cores, { end }] = await Promise.all([bench.coresOfPerf(), client.result({ takesMs })]);
  const { frames_per_s } = (end as { xpass: { frames_per_s: number } }).xpass;
  return { framesPerSecond: frames_per_s, cores };
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
