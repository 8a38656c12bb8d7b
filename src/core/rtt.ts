import type { NumberRecord } from '../base/record-arena.js';
import { longestWaitNs, type WaitBound } from './config.js';
import { FlowPlace, ownRecord } from './flow-record.js';

/** What the past weighs, from one sample to the next. RFC 6298 section 2.3: 1 - alpha */
const SMOOTHING = 7 / 8;

/** Smoothed round-trip time and its variation: RFC 6298 section 2, without its clamps. Times in ns. */
export class RttEstimator {
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly bound: WaitBound;

  /** `bound`: no time to wait that is derived from the RTT is longer than `longestWaitNs` of it. */
  constructor(bound: WaitBound, { numbers, at }: NumberRecord = ownRecord()) {
    this.numbers = numbers;
    this.at = at;
    this.bound = bound;
    numbers[at + FlowPlace.minNs] = Number.POSITIVE_INFINITY;
  }

  /** Smoothed RTT; 0 before the first sample. */
  get smoothedNs(): number {
    return this.numbers[this.at + FlowPlace.smoothedNs];
  }

  get variationNs(): number {
    return this.numbers[this.at + FlowPlace.variationNs];
  }

  /** Smallest sample so far; Infinity before the first. */
  get minNs(): number {
    return this.numbers[this.at + FlowPlace.minNs];
  }

  /** `sinceNs`: time since the sample before, for a flow whose samples may come less than once a round trip; 0 for any other. */
  sample(rttNs: number, sinceNs = 0): void {
    if (rttNs < 0) return;
    const { numbers, at } = this;
    if (rttNs < numbers[at + FlowPlace.minNs]) numbers[at + FlowPlace.minNs] = rttNs;
    const smoothedNs = numbers[at + FlowPlace.smoothedNs];
    if (smoothedNs === 0) {
      numbers[at + FlowPlace.smoothedNs] = rttNs;
      numbers[at + FlowPlace.variationNs] = rttNs / 2;
      return;
    }
    const variationNs = numbers[at + FlowPlace.variationNs];
    numbers[at + FlowPlace.variationNs] = variationNs + (Math.abs(smoothedNs - rttNs) - variationNs) / 4;
    numbers[at + FlowPlace.smoothedNs] = smoothedNs + weightOf(sinceNs / smoothedNs) * (rttNs - smoothedNs);
  }

  /** `roundTrips` smoothed RTTs; 0 before the first sample. */
  waitNs(roundTrips: number): number {
    return Math.min(roundTrips * this.smoothedNs, longestWaitNs(this.bound));
  }

  /** `srtt + max(4 * rttvar, margin)`, or `initialNs` before the first sample. PROTOCOL §5.5 */
  retransmitNs(marginNs: number, initialNs: number): number {
    if (this.smoothedNs === 0) return initialNs;
    return Math.min(this.smoothedNs + Math.max(4 * this.variationNs, marginNs), longestWaitNs(this.bound));
  }
}

/**
 * RFC 6298 has a sample an RTT, each of weight 1/8. One after several RTTs weighs as much as that many samples. Ours: otherwise a flow that sends every
 * twentieth RTT goes by the queue of its first milliseconds for a second.
 */
function weightOf(roundTrips: number): number {
  return roundTrips > 1 ? 1 - SMOOTHING ** roundTrips : 1 - SMOOTHING;
}
