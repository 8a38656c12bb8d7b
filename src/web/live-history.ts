// Tested by test/web/live-history.test.ts
/** The last minute of a process as its page draws it: rates from counts, Jain's index and percentiles of round trips. No element of a page is in here. */
import { type LiveFlow, type LiveSample, PORT_NUMBERS, type PortNumbers } from '../report/live-data.js';
import { jainIndex } from '../sim/measure/jain.js';

/** Samples that are kept: a minute of ten a second. */
const MAX_SAMPLES = 600;
/** Rates are means over ten samples, one second, as in the table of the demo. */
const RATE_SAMPLES = 10;
/** Two samples further apart than this are drawn with a gap between them (ours), ms. */
const GAP_MS = 2_000;

/** Null where nothing is known. */
export type Line = (number | null)[];

interface FlowTrack {
  readonly goodputBps: Line;
  last: LiveFlow;
}

interface PortTrack {
  readonly loadBps: Line;
  readonly queueBytes: Line;
  readonly creditsPerS: Line;
  readonly creditDropsPerS: Line;
}

/** Fraction, and the name of its line. */
const PERCENTILES = [
  [0.5, 'median'],
  [0.9, '90th percentile'],
  [0.99, '99th percentile'],
] as const;

export const PERCENTILE_NAMES: readonly string[] = PERCENTILES.map(([, name]) => name);

export class LiveHistory {
  readonly timesS: number[] = [];
  readonly jain: Line = [];
  readonly rttNs: readonly Line[] = PERCENTILES.map(() => []);
  readonly flows = new Map<string, FlowTrack>();
  ports: PortTrack[] = [];
  /** Newest last. */
  private readonly samples: LiveSample[] = [];

  get latest(): LiveSample | undefined {
    return this.samples.at(-1);
  }

  add(sample: LiveSample): void {
    const { latest } = this;
    if (latest !== undefined && sample.atMs - latest.atMs > GAP_MS) this.push(emptied(latest));
    this.push(sample);
  }

  /** Of the port at `index`, counts as they are in the summary of the process. */
  numbers(index: number): PortNumbers {
    const row = this.latest?.ports[index] ?? [];
    return Object.fromEntries(PORT_NUMBERS.map((name, at) => [name, row[at] ?? 0])) as PortNumbers;
  }

  private push(sample: LiveSample): void {
    const { samples } = this;
    samples.push(sample);
    this.timesS.push(sample.atMs / 1e3);
    const before = this.before(sample);
    this.pushPorts(sample, before);
    this.pushFlows(sample, before);
    const rates = sample.flows.flatMap(({ name }) => this.flows.get(name)?.goodputBps.at(-1) ?? []);
    const jain = jainIndex(rates);
    this.jain.push(rates.length > 1 && !Number.isNaN(jain) ? jain : null);
    this.pushRtts();
    if (samples.length > MAX_SAMPLES) this.forgetFirst();
  }

  /** What rates of a sample are the difference to: undefined where counts began anew since. */
  private before(sample: LiveSample): LiveSample | undefined {
    const { samples } = this;
    const found = samples[Math.max(0, samples.length - 1 - RATE_SAMPLES)];
    return found === sample || sample.atMs - found.atMs > RATE_SAMPLES * GAP_MS ? undefined : found;
  }

  private pushPorts(sample: LiveSample, before: LiveSample | undefined): void {
    const { length } = this.timesS;
    while (this.ports.length < sample.ports.length) this.ports.push(newPort(length - 1));
    const elapsedS = (sample.atMs - (before?.atMs ?? 0)) / 1e3;
    this.ports.forEach((track, index) => {
      const rate = (name: keyof PortNumbers): number | null => {
        const [now, then] = [numberOf(sample, index, name), before && numberOf(before, index, name)];
        if (now === undefined || then === undefined || elapsedS <= 0) return null;
        return Math.max(0, now - then) / elapsedS;
      };
      const dataRate = rate('dataBytes');
      track.loadBps.push(dataRate === null ? null : dataRate * 8);
      track.queueBytes.push(numberOf(sample, index, 'queueBytes') ?? null);
      track.creditsPerS.push(rate('credits'));
      track.creditDropsPerS.push(rate('creditDrops'));
    });
  }

  private pushFlows(sample: LiveSample, before: LiveSample | undefined): void {
    const elapsedS = (sample.atMs - (before?.atMs ?? 0)) / 1e3;
    const then = new Map(before?.flows.map(({ name, bytes }) => [name, bytes]));
    const now = new Map(sample.flows.map((flow) => [flow.name, flow]));
    for (const flow of sample.flows) {
      const track = this.flows.get(flow.name);
      if (track === undefined) this.flows.set(flow.name, { goodputBps: nulls(this.timesS.length - 1), last: flow });
      else track.last = flow;
    }
    for (const [name, { goodputBps }] of this.flows) {
      const [bytes, bytesThen] = [now.get(name)?.bytes, then.get(name)];
      const isKnown = bytes !== undefined && bytesThen !== undefined && bytes >= bytesThen && elapsedS > 0;
      goodputBps.push(isKnown ? ((bytes - bytesThen) * 8) / elapsedS : null);
    }
  }

  /** Of the smoothed round-trip times of all flows within the last second. */
  private pushRtts(): void {
    const rtts = this.samples
      .slice(-RATE_SAMPLES)
      .flatMap(({ flows }) => flows.map(({ rttNs }) => rttNs))
      .filter((rttNs) => rttNs > 0)
      .sort((a, b) => a - b);
    PERCENTILES.forEach(([fraction], at) => {
      this.rttNs[at].push(percentile(rtts, fraction));
    });
  }

  private forgetFirst(): void {
    this.samples.shift();
    this.timesS.shift();
    const ports = this.ports.flatMap((track) => Object.values(track) as Line[]);
    for (const line of [this.jain, ...this.rttNs, ...ports]) line.shift();
    for (const [name, { goodputBps }] of this.flows) {
      goodputBps.shift();
      if (goodputBps.every((value) => value === null)) this.flows.delete(name);
    }
  }
}

function numberOf({ ports }: LiveSample, index: number, name: keyof PortNumbers): number | undefined {
  return ports[index]?.[PORT_NUMBERS.indexOf(name)];
}

function newPort(length: number): PortTrack {
  return {
    loadBps: nulls(length),
    queueBytes: nulls(length),
    creditsPerS: nulls(length),
    creditDropsPerS: nulls(length),
  };
}

function nulls(length: number): Line {
  return new Array<null>(length).fill(null);
}

/** Right behind a sample, nothing. */
function emptied({ atMs }: LiveSample): LiveSample {
  return { atMs: atMs + 1, ports: [], flows: [] };
}

/** Nearest rank; null of nothing. */
export function percentile(sorted: readonly number[], fraction: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)];
}
