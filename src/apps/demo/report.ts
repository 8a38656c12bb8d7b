// Tested by test/apps/demo/view.test.ts

import { displayCount, displayDuration, displayPercent, displayRate, displaySize } from '../../base/display.js';
import { tableLines } from '../../report/table.js';
import type { DirectionSnapshot } from '../../switch/link-direction.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { dropCounts } from './drops.js';
import { DATA_SHARE, type RateChoice } from './link-rate.js';
import { activeWindow, meanJain, meanRateBps } from './measure.js';
import { needsMarks } from './mix.js';
import type { NetworkValues } from './network.js';
import { fileName } from './network.js';
import type { ReceivedFile, Recorder } from './recorder.js';
import { BOTTLENECK } from './recorder.js';
import { lossText } from './view.js';

/** What a run came to, as `--json` prints it. */
export interface DemoResult {
  algorithm: string;
  link_rate_bps: number;
  /** How the rate was chosen; null when it was given. */
  link_rate_choice: RateChoiceResult | null;
  senders: number;
  /** Part of all frames that every link lost, each way, as it was asked for. */
  loss: number;
  duration_s: number;
  goodput_bps: number;
  /** Data wire bytes over the data share of the bottleneck while all senders are active; null when they never were. */
  utilisation: number | null;
  /** The same over what `loss` leaves of that share; null where flows without credits are there, too. */
  utilisation_of_left: number | null;
  /** Mean over windows of 1 s of the same time. */
  jain: number | null;
  files: ReceivedFile[];
  /** What senders said that did not end well. */
  failures: string[];
  ports: PortResult[];
}

interface RateChoiceResult {
  cores: number;
  idle_cores: number;
  warm_ups: { link_rate_bps: number; utilisation: number; queue_frames: number; is_carried: boolean }[];
}

interface PortResult {
  name: string;
  /** By the meter. */
  credit_drops: number;
  /** By a full queue. */
  data_drops: number;
  /** Frames of any kind, on the link, by its impairments. */
  lost: number;
  other_drops: number;
  data_queue_bytes_max: number;
  data_queue_bytes_mean: number;
  credit_queue_max: number;
}

/** Links that can lose a credit or its data before the bottleneck's port counts it: the receiver's, and the sender's both ways. */
const LOSSY_CROSSINGS = 3;

/** A run that has ended. */
export interface DemoRun {
  readonly values: NetworkValues;
  readonly choice: RateChoice | null;
  readonly recorder: Recorder;
  readonly durationS: number;
  /** What senders said that did not end well. */
  readonly failures: readonly string[];
}

export function demoResult({ values, choice, recorder, durationS, failures }: DemoRun): DemoResult {
  const window = activeWindow(recorder.flowSamples, values.bytes);
  const rateBps = window === null ? null : meanRateBps(recorder.portSamples, window);
  const utilisation = rateBps === null ? null : rateBps / (values.linkRate * DATA_SHARE);
  const hasLeft = utilisation !== null && !needsMarks(values.algorithm);
  const files = Array.from({ length: values.senders }, (_, index) => fileOf(recorder, fileName(index)));
  const verifiedBytes = files.reduce((sum, { bytes, verified }) => sum + (verified ? bytes : 0), 0);
  return {
    algorithm: values.algorithm.join(','),
    link_rate_bps: values.linkRate,
    link_rate_choice: choice === null ? null : choiceResult(choice),
    senders: values.senders,
    loss: values.loss,
    duration_s: durationS,
    goodput_bps: (verifiedBytes * 8) / durationS,
    utilisation,
    utilisation_of_left: hasLeft ? utilisation / (1 - values.loss) ** LOSSY_CROSSINGS : null,
    jain: window === null ? null : meanJain(recorder.flowSamples, window),
    files,
    failures: [...failures],
    ports: recorder.ports.map(portResult),
  };
}

/** A file that never came is one that was not verified. */
function fileOf(recorder: Recorder, name: string): ReceivedFile {
  return recorder.files.get(name) ?? { name, bytes: 0, sha256: null, verified: false };
}

function choiceResult({ cores, tried }: RateChoice): RateChoiceResult {
  return {
    cores: cores.count,
    idle_cores: cores.idle,
    warm_ups: tried.map(({ rateBps, utilisation, queueFrames, isCarried }) => ({
      link_rate_bps: rateBps,
      utilisation,
      queue_frames: queueFrames,
      is_carried: isCarried,
    })),
  };
}

function portResult(port: DirectionSnapshot): PortResult {
  const drops = dropCounts(port);
  return {
    name: port.name,
    credit_drops: drops.credits,
    data_drops: drops.data,
    lost: drops.lost,
    other_drops: drops.other,
    data_queue_bytes_max: port.dataQueueBytesMax,
    data_queue_bytes_mean: Math.round(port.dataQueueBytesMean),
    credit_queue_max: port.creditQueueFramesMax,
  };
}

/** The summary for people. */
export function summaryLines(result: DemoResult): string[] {
  const bottleneck = result.ports.find(({ name }) => name === BOTTLENECK);
  const verified = result.files.filter((file) => file.verified).length;
  const choice = result.link_rate_choice;
  const lines = [
    `${result.algorithm}: ${sharedBy(result.senders)} ${displayRate(result.link_rate_bps)} for ${displayDuration(result.duration_s * 1e9)}`,
    ...(choice === null ? [] : [`  rate chosen by      ${choiceLine(choice)}`]),
    `  files verified      ${verified} of ${result.files.length} (SHA-256, each ${displaySize(result.files[0]?.bytes ?? 0)})`,
    `  goodput             ${displayRate(result.goodput_bps)}`,
    ...utilisationLines(result),
    ...(result.senders === 1 ? [] : [`  fairness (Jain)     ${result.jain?.toFixed(4) ?? '-'} over windows of 1 s`]),
    ...result.failures.map((failure) => `  failed              ${failure}`),
  ];
  if (bottleneck === undefined) return lines;
  const frames = bottleneck.data_queue_bytes_max / wireBytes(DEFAULT_FRAME_BYTES);
  return [
    ...lines,
    `  largest data queue  ${displaySize(bottleneck.data_queue_bytes_max)}, ${frames.toFixed(1)} full frames`,
    ...dropLines(result),
    '',
    ...portLines(result),
  ];
}

function sharedBy(senders: number): string {
  return senders === 1 ? '1 sender had' : `${senders} senders shared`;
}

function utilisationLines({ senders, loss, utilisation, utilisation_of_left }: DemoResult): string[] {
  const active = senders === 1 ? 'it was active' : 'all were active';
  const use = `  link utilisation    ${part(utilisation)} of what credits leave, while ${active}`;
  if (loss === 0) return [use];
  const left =
    utilisation_of_left === null ? [] : [`${' '.repeat(22)}${part(utilisation_of_left)} of what loss leaves of that`];
  return [`  loss                ${lossText(loss)} of all frames on every link, each way`, use, ...left];
}

/** `warm-up 97 % full, queue 8 frames; 2.0 of 2 cores idle`: higher rates that were too much come first. */
function choiceLine({ cores, idle_cores, warm_ups }: RateChoiceResult): string {
  const words = warm_ups.map(({ utilisation, link_rate_bps, queue_frames }, at) => {
    const rate = at < warm_ups.length - 1 ? `at ${displayRate(link_rate_bps)} ` : '';
    return `warm-up ${rate}${Math.round(utilisation * 100)} % full, queue ${queue_frames.toFixed(0)} frames`;
  });
  return `${words.join('; ')}; ${idle_cores.toFixed(1)} of ${cores} cores idle`;
}

/** All ports together. */
function dropLines({ ports }: DemoResult): string[] {
  const total = (count: (port: PortResult) => number): number => ports.reduce((sum, port) => sum + count(port), 0);
  const other = total(({ other_drops }) => other_drops);
  return [
    `  credits dropped     ${displayCount(total(({ credit_drops }) => credit_drops))} by the meters`,
    `  data dropped        ${displayCount(total(({ data_drops }) => data_drops))} frames by full queues`,
    `  lost on the links   ${displayCount(total(({ lost }) => lost))} frames of any kind`,
    ...(other === 0
      ? []
      : [`  dropped otherwise   ${displayCount(other)} frames: \`xpass switch ctl\` names the reasons`]),
  ];
}

/** The bottleneck, and whatever other port dropped a frame. */
function hasNews({ name, credit_drops, data_drops, lost, other_drops }: PortResult): boolean {
  return name === BOTTLENECK || credit_drops + data_drops + lost + other_drops > 0;
}

function portLines({ ports }: DemoResult): string[] {
  const right = { align: 'right' } as const;
  const columns = [
    { title: 'port' },
    { title: 'credits dropped', ...right },
    { title: 'data dropped', ...right },
    { title: 'lost', ...right },
    { title: 'data queue max', ...right },
    { title: 'mean', ...right },
  ];
  const rows = ports
    .filter(hasNews)
    .map((port) => [
      port.name,
      displayCount(port.credit_drops),
      displayCount(port.data_drops),
      displayCount(port.lost),
      displaySize(port.data_queue_bytes_max),
      displaySize(port.data_queue_bytes_mean),
    ]);
  return tableLines(columns, rows);
}

function part(value: number | null): string {
  return value === null ? '-' : displayPercent(value);
}
