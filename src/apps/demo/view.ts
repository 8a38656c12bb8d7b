import { jainIndex } from '../../sim/measure/jain.js';
import { creditShare, DEFAULT_FRAME_BYTES } from '../../wire/layout.js';
import { displayCount, displayPercent, displayRate, displaySize } from '../shared/display.js';
import { tableLines } from '../shared/table.js';
import { type LiveRegion, progressBar } from '../shared/terminal.js';
import type { DemoValues } from './lab.js';
import type { FlowSample, PortSample } from './measure.js';
import { BOTTLENECK, type Recorder } from './recorder.js';

const BAR_WIDTH = 24;
/** Rates are means over so many samples, of 100 ms each. */
const RATE_SAMPLES = 10;

/** The live table: a line for each sender, and one for the link that they share. */
export class DemoView {
  private readonly region: LiveRegion;
  private readonly values: DemoValues;

  constructor(region: LiveRegion, values: DemoValues) {
    this.region = region;
    this.values = values;
  }

  draw(recorder: Recorder): void {
    if (this.region.isLive) this.region.draw(demoLines(this.values, recorder));
  }

  clear(): void {
    this.region.clear();
  }
}

/** The lines of the table as of the latest samples. */
export function demoLines(values: DemoValues, recorder: Recorder): string[] {
  const rates = flowRates(recorder.flowSamples, recorder.delivered.length);
  const right = { align: 'right' } as const;
  const columns = [{ title: 'sender' }, { title: 'rate', ...right }, { title: 'done', ...right }, { title: '' }];
  const rows = recorder.delivered.map((bytes, index) => [
    String(index + 1),
    displayRate(rates[index]),
    displayPercent(bytes / values.bytes),
    progressBar(bytes / values.bytes, BAR_WIDTH),
  ]);
  return [
    `${values.algorithm.join(', ')}, links of ${displayRate(values.linkRate)}`,
    ...tableLines(columns, rows),
    linkLine(values, recorder, rates),
  ];
}

function linkLine(values: DemoValues, recorder: Recorder, rates: readonly number[]): string {
  const port = recorder.ports.find(({ name }) => name === BOTTLENECK);
  const creditDrops = recorder.ports.reduce((sum, { drops }) => sum + (drops.creditQueueFull ?? 0), 0);
  const share = portRate(recorder.portSamples) / (values.linkRate * (1 - creditShare(DEFAULT_FRAME_BYTES)));
  const parts = [
    `link ${displayPercent(share)} full`,
    `queue ${displaySize(port?.dataQueueBytes ?? 0)}`,
    `credits dropped ${displayCount(creditDrops)}`,
    `data dropped ${displayCount(port?.drops.dataQueueFull ?? 0)}`,
    `Jain ${jainText(rates)}`,
  ];
  return parts.join('   ');
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
