import { displayCount, displayPercent, displayRate } from '../../base/display.js';
import { tableLines } from '../../report/table.js';
import { type LiveRegion, progressBar } from '../../report/terminal.js';
import { jainIndex } from '../../sim/measure/jain.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { addDrops, dropCounts } from './drops.js';
import { DATA_SHARE, type WarmUpOutcome } from './link-rate.js';
import type { FlowSample, PortSample } from './measure.js';
import type { NetworkValues } from './network.js';
import { BOTTLENECK, type Recorder } from './recorder.js';

/** How far one sender is, in words. */
export interface SenderState {
  readonly name: string;
  readonly rate: string;
  readonly done: string;
  /** Part of its file, 0 to 1. */
  readonly part: number;
}

/** What a live table may take. */
interface Space {
  readonly columns: number;
  readonly rows: number;
}

/** What is said of each sender. */
type Detail = 'bar' | 'rate' | 'done';

const TITLES: Readonly<Record<Detail, readonly string[]>> = {
  bar: ['sender', 'rate', 'done', ''],
  rate: ['sender', 'rate', 'done'],
  done: ['', ''],
};
const BAR_WIDTH = 24;
const BAR_AT = 3;
const GAP = '   ';

/**
 * All senders in the space that there is: one below the other with bars where they fit, else side by side, else with less about each. Where they
 * do not even fit with a percentage each, the last line says how many are not shown.
 */
export function senderLines(senders: readonly SenderState[], { columns, rows }: Space): string[] {
  for (const detail of ['bar', 'rate', 'done'] as const) {
    const lines = table(senders, detail, rows);
    if (lines.length <= rows && lines.every((line) => line.length <= columns)) return lines;
  }
  return shortened(senders, { columns, rows });
}

/** In as many blocks side by side as it takes for no more than `most` rows, titles included. */
function table(senders: readonly SenderState[], detail: Detail, most: number): string[] {
  const headRows = detail === 'done' ? 0 : 1;
  const blocks = Math.max(1, Math.ceil(senders.length / Math.max(1, most - headRows)));
  const height = Math.ceil(senders.length / blocks);
  const columns = Array.from({ length: blocks }, (_, block) =>
    block === 0 ? columnsOf(detail) : [{ title: '' }, ...columnsOf(detail)],
  ).flat();
  const cells = Array.from({ length: height }, (_, row) =>
    Array.from({ length: blocks }, (_, block) => {
      const sender = senders[block * height + row];
      const own = sender === undefined ? TITLES[detail].map(() => '') : cellsOf(sender, detail);
      return block === 0 ? own : ['', ...own];
    }).flat(),
  );
  return tableLines(columns, cells).slice(1 - headRows);
}

function columnsOf(detail: Detail) {
  return TITLES[detail].map((title, at) => ({ title, align: at === 0 || at === BAR_AT ? 'left' : 'right' }) as const);
}

function cellsOf({ name, rate, done, part }: SenderState, detail: Detail): string[] {
  if (detail === 'bar') return [name, rate, done, progressBar(part, BAR_WIDTH)];
  return detail === 'rate' ? [name, rate, done] : [name, `${Math.floor(part * 100)} %`];
}

/** As many senders as fit, and how many there are beside them. */
function shortened(senders: readonly SenderState[], { columns, rows }: Space): string[] {
  for (let shown = senders.length - 1; shown > 0; shown--) {
    const lines = table(senders.slice(0, shown), 'done', rows - 1);
    if (lines.length < rows && lines.every((line) => line.length <= columns)) {
      return [...lines, `and ${senders.length - shown} more`];
    }
  }
  return [`${senders.length} senders`];
}

/** Words side by side, on as many lines as they take. */
export function flowingLines(parts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + GAP.length + part.length <= columns) {
      lines[lines.length - 1] = `${last}${GAP}${part}`;
    } else lines.push(part);
  }
  return lines;
}

/** Samples, of 100 ms each, over which rates are means. */
const RATE_SAMPLES = 10;

/** What goes on, redrawn on a terminal; elsewhere a line for each thing that begins. */
export class DemoView {
  private readonly region: LiveRegion;

  constructor(region: LiveRegion) {
    this.region = region;
  }

  /** Something begins: it is told everywhere. */
  begin(line: string): void {
    if (this.region.isLive) this.region.draw([line]);
    else this.region.print(line);
  }

  /** How far what has begun is, on a terminal. */
  progress(line: string): void {
    this.region.draw([line]);
  }

  /** A line that stays. */
  say(line: string): void {
    this.region.print(line);
  }

  draw(values: NetworkValues, recorder: Recorder): void {
    if (this.region.isLive) this.region.draw(demoLines(values, recorder, this.region.size));
  }

  clear(): void {
    this.region.clear();
  }
}

/** `warming up, 1.2 s: 83 % of 50.00 Mbit/s, queue 6 frames`. */
export function warmUpLine({ rateBps, utilisation, queueFrames }: WarmUpOutcome, lengthS: number): string {
  const full = `${Math.round(utilisation * 100)} % of ${displayRate(rateBps)}`;
  return `warming up, ${lengthS.toFixed(1)} s: ${full}, queue ${queueFrames.toFixed(0)} frames`;
}

/** The lines of the table as of the latest samples, none longer than the space, and no more of them. */
export function demoLines(values: NetworkValues, recorder: Recorder, { columns, rows }: Space): string[] {
  const rates = flowRates(recorder.flowSamples, recorder.delivered.length);
  const link = flowingLines(linkWords(values, recorder, rates), columns);
  const states = recorder.delivered.map((bytes, index) => ({
    name: String(index + 1),
    rate: displayRate(rates[index]),
    done: displayPercent(bytes / values.bytes),
    part: bytes / values.bytes,
  }));
  return [
    `${values.algorithm.join(', ')}, links of ${displayRate(values.linkRate)}${values.loss === 0 ? '' : ` that lose ${lossText(values.loss)}`}`,
    ...senderLines(states, { columns, rows: Math.max(1, rows - 1 - link.length) }),
    ...link,
  ];
}

/** As it was asked for: `2 %`. */
export function lossText(loss: number): string {
  return `${Number((100 * loss).toPrecision(3))} %`;
}

function linkWords(values: NetworkValues, recorder: Recorder, rates: readonly number[]): string[] {
  const port = recorder.ports.find(({ name }) => name === BOTTLENECK);
  const drops = addDrops(recorder.ports.map(dropCounts));
  const share = portRate(recorder.portSamples) / (values.linkRate * DATA_SHARE);
  const queueFrames = (port?.dataQueueBytes ?? 0) / wireBytes(DEFAULT_FRAME_BYTES);
  return [
    `Jain ${jainText(rates)}`,
    `link ${displayPercent(share)} full`,
    `queue ${queueFrames.toFixed(0)} frames`,
    `credits dropped ${displayCount(drops.credits)}`,
    `data dropped ${displayCount(drops.data)}`,
    `frames lost ${displayCount(drops.lost)}`,
  ];
}

function jainText(rates: readonly number[]): string {
  const index = jainIndex(rates);
  return Number.isNaN(index) ? '-' : index.toFixed(3);
}

function flowRates(samples: readonly FlowSample[], flows: number): number[] {
  const last = samples[samples.length - 1];
  const first = samples[Math.max(0, samples.length - 1 - RATE_SAMPLES)];
  if (last === undefined || last.timeS <= first.timeS) return new Array<number>(flows).fill(0);
  return last.bytes.map((bytes, flow) => ((bytes - first.bytes[flow]) * 8) / (last.timeS - first.timeS));
}

function portRate(samples: readonly PortSample[]): number {
  const last = samples[samples.length - 1];
  const first = samples[Math.max(0, samples.length - 1 - RATE_SAMPLES)];
  if (last === undefined || last.timeS <= first.timeS) return 0;
  return ((last.wireBytes - first.wireBytes) * 8) / (last.timeS - first.timeS);
}
