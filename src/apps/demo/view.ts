import { jainIndex } from '../../sim/measure/jain.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { displayCount, displayPercent, displayRate } from '../shared/display.js';
import type { LiveRegion } from '../shared/terminal.js';
import { addDrops, dropCounts } from './drops.js';
import type { LabValues } from './lab.js';
import { flowingLines, type Space, senderLines } from './layout.js';
import { DATA_SHARE, type WarmUpOutcome } from './link-rate.js';
import type { FlowSample, PortSample } from './measure.js';
import { BOTTLENECK, type Recorder } from './recorder.js';

/** Rates are means over so many samples, of 100 ms each. */
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

  draw(values: LabValues, recorder: Recorder): void {
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
export function demoLines(values: LabValues, recorder: Recorder, { columns, rows }: Space): string[] {
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

function linkWords(values: LabValues, recorder: Recorder, rates: readonly number[]): string[] {
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
