import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { DATA_SHARE, GOAL, type WarmUpOutcome } from './link-rate.js';

/** What the bottleneck port has done by a time. */
export interface WarmUpSample {
  readonly timeS: number;
  /** Of data, sent since the start. */
  readonly wireBytes: number;
  /** The longest data queue since the sample before. */
  readonly queueBytesPeak: number;
}

/** The last second says how well the rate is carried (ours: 0.3 s vary by 5 %, a second by 1 to 2 %). */
const JUDGED_S = 1;
/** A warm-up without a part of this length that is better than the part before it has reached what it will (ours). */
const SETTLED_S = 1.5;
/** Better by less than this is not better (ours: what two parts of a steady run differ by). */
const SETTLED_GAIN = 0.02;
/** Where other programs use the cores, nothing settles (ours). */
const LONGEST_S = 8;

/** Samples of a warm-up: over when the rate is carried, when nothing gets better any more, or when it has lasted too long. */
export class WarmUp {
  private readonly rateBps: number;
  private readonly samples: WarmUpSample[] = [];

  constructor(rateBps: number) {
    this.rateBps = rateBps;
  }

  /** Sampling begins when all senders send. */
  add(sample: WarmUpSample): void {
    this.samples.push(sample);
  }

  get isOver(): boolean {
    const lengthS = this.lengthS;
    if (lengthS < JUDGED_S) return false;
    return this.outcome.isCarried || lengthS >= LONGEST_S || this.isSettled;
  }

  /** By the last second. */
  get outcome(): WarmUpOutcome {
    const utilisation = this.utilisation(0, JUDGED_S);
    const last = this.samples.slice(this.firstOf(JUDGED_S) + 1);
    const queueBytes = Math.max(0, ...last.map(({ queueBytesPeak }) => queueBytesPeak));
    const queueFrames = queueBytes / wireBytes(DEFAULT_FRAME_BYTES);
    const isCarried = utilisation >= GOAL.utilisation && queueFrames <= GOAL.queueFrames;
    return { rateBps: this.rateBps, utilisation, queueFrames, isCarried };
  }

  private get lengthS(): number {
    const { samples } = this;
    return samples.length === 0 ? 0 : samples[samples.length - 1].timeS - samples[0].timeS;
  }

  private get isSettled(): boolean {
    if (this.lengthS < 2 * SETTLED_S) return false;
    return this.utilisation(0, SETTLED_S) < this.utilisation(SETTLED_S, 2 * SETTLED_S) + SETTLED_GAIN;
  }

  /** Of the link's data share, from `fromS` to `toS` before the last sample. */
  private utilisation(endS: number, startS: number): number {
    const { samples } = this;
    const first = samples[this.firstOf(startS)];
    const last = samples[this.firstOf(endS)];
    if (first === undefined || last === undefined || last.timeS <= first.timeS) return 0;
    const bps = ((last.wireBytes - first.wireBytes) * 8) / (last.timeS - first.timeS);
    return bps / (this.rateBps * DATA_SHARE);
  }

  /** The sample at or next before `agoS` before the last one; the first one when there is none. */
  private firstOf(agoS: number): number {
    const { samples } = this;
    const atS = samples[samples.length - 1]?.timeS - agoS;
    return Math.max(
      0,
      samples.findLastIndex(({ timeS }) => timeS <= atS),
    );
  }
}
