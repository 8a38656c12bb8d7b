// Tested by test/apps/demo/view.test.ts

import type { DirectionSnapshot } from '../../switch/link-direction.js';
import { DEFAULT_FRAME_BYTES, MIN_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import { displayCount, displayDuration, displayPercent, displayRate, displaySize } from '../shared/display.js';
import { tableLines } from '../shared/table.js';
import type { DemoValues } from './lab.js';
import { fileName } from './lab.js';
import { activeWindow, meanJain, meanRateBps } from './measure.js';
import type { ReceivedFile, Recorder } from './recorder.js';
import { BOTTLENECK } from './recorder.js';

/** What a run came to, as `--json` prints it. */
export interface DemoResult {
  algorithm: string;
  link_rate_bps: number;
  senders: number;
  duration_s: number;
  goodput_bps: number;
  /** Data wire bytes over the data share of the bottleneck while all senders are active; null when they never were. */
  utilisation: number | null;
  /** Mean over windows of 1 s of the same time. */
  jain: number | null;
  files: ReceivedFile[];
  ports: PortResult[];
}

interface PortResult {
  name: string;
  credit_drops: number;
  data_drops: number;
  data_queue_bytes_max: number;
  data_queue_bytes_mean: number;
  credit_queue_max: number;
}

/** Data keeps 1538 / (84 + 1538) of a link: ExpressPass 2017, section 3.1. Switches meter a little less, since our credits are 88 bytes on average. */
const DATA_SHARE = wireBytes(DEFAULT_FRAME_BYTES) / (MIN_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES));

export function demoResult(values: DemoValues, recorder: Recorder, durationS: number): DemoResult {
  const window = activeWindow(recorder.flowSamples, values.bytes);
  const rateBps = window === null ? null : meanRateBps(recorder.portSamples, window);
  const files = Array.from({ length: values.senders }, (_, index) => fileOf(recorder, fileName(index)));
  const verifiedBytes = files.reduce((sum, { bytes, verified }) => sum + (verified ? bytes : 0), 0);
  return {
    algorithm: values.algorithm.join(','),
    link_rate_bps: values.linkRate,
    senders: values.senders,
    duration_s: durationS,
    goodput_bps: (verifiedBytes * 8) / durationS,
    utilisation: rateBps === null ? null : rateBps / (values.linkRate * DATA_SHARE),
    jain: window === null ? null : meanJain(recorder.flowSamples, window),
    files,
    ports: recorder.ports.map(portResult),
  };
}

/** A file that never came is one that was not verified. */
function fileOf(recorder: Recorder, name: string): ReceivedFile {
  return recorder.files.get(name) ?? { name, bytes: 0, sha256: null, verified: false };
}

function portResult(port: DirectionSnapshot): PortResult {
  // What a port to a host that has left drops is the last ACK to it.
  const { creditQueueFull = 0, notAttached: _, ...others } = port.drops;
  return {
    name: port.name,
    credit_drops: creditQueueFull,
    data_drops: Object.values(others).reduce((sum, count) => sum + count, 0),
    data_queue_bytes_max: port.dataQueueBytesMax,
    data_queue_bytes_mean: Math.round(port.dataQueueBytesMean),
    credit_queue_max: port.creditQueueFramesMax,
  };
}

/** The summary for people. */
export function summaryLines(result: DemoResult): string[] {
  const bottleneck = result.ports.find(({ name }) => name === BOTTLENECK);
  const verified = result.files.filter((file) => file.verified).length;
  const lines = [
    `${result.algorithm}: ${result.senders} senders shared ${displayRate(result.link_rate_bps)} for ${displayDuration(result.duration_s * 1e9)}`,
    `  files verified      ${verified} of ${result.files.length} (SHA-256, each ${displaySize(result.files[0]?.bytes ?? 0)})`,
    `  goodput             ${displayRate(result.goodput_bps)}`,
    `  link utilisation    ${part(result.utilisation)} of what credits leave for data, while all were active`,
    `  fairness (Jain)     ${result.jain === null ? '-' : result.jain.toFixed(4)} over windows of 1 s`,
  ];
  if (bottleneck === undefined) return lines;
  const frames = bottleneck.data_queue_bytes_max / wireBytes(DEFAULT_FRAME_BYTES);
  return [
    ...lines,
    `  data frames dropped ${displayCount(bottleneck.data_drops)}`,
    `  largest data queue  ${displaySize(bottleneck.data_queue_bytes_max)}, ${frames.toFixed(1)} full frames`,
    '',
    ...portLines(result),
  ];
}

function portLines({ ports }: DemoResult): string[] {
  const right = { align: 'right' } as const;
  const columns = [
    { title: 'port' },
    { title: 'credits dropped', ...right },
    { title: 'data dropped', ...right },
    { title: 'data queue max', ...right },
    { title: 'mean', ...right },
  ];
  const rows = ports.map((port) => [
    port.name,
    displayCount(port.credit_drops),
    displayCount(port.data_drops),
    displaySize(port.data_queue_bytes_max),
    displaySize(port.data_queue_bytes_mean),
  ]);
  return tableLines(columns, rows);
}

function part(value: number | null): string {
  return value === null ? '-' : displayPercent(value);
}
