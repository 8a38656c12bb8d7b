import { RecentMinimum } from '../base/recent-minimum.js';

/** Data frames after which the shortest RTT is believed: the first ones meet a cold process. Ours. */
const RTT_FRAMES = 32;

/** Credits for each data frame on a long path, until its RTT is believed. Ours: fills the path in three RTTs. */
const CREDITS_A_FRAME = 4;

/** Credits whose send times are kept. Ours: 32 times what a process has outstanding. A forgotten one counts until its life is over. */
const MAX_CREDITS = 4_096;
const INITIAL_CREDITS = 16;

const NO_SLOT = -1;

/** Minimum of the recent RTTs, believed after some samples. */
export class ShortestRtt {
  private readonly recent = new RecentMinimum();
  private samples = 0;

  sample(rttNs: number, nowNs: number): void {
    this.recent.sample(rttNs, nowNs);
    this.samples++;
  }

  get isBelieved(): boolean {
    return this.samples >= RTT_FRAMES;
  }

  /** How many of the `credits` of a full path may be under way before the RTT is believed. */
  trusted(credits: number): number {
    return Math.min(credits, CREDITS_A_FRAME * this.samples);
  }

  /** Infinity before the first sample. */
  get value(): number {
    return this.recent.value;
  }
}

/**
 * What all flows from one peer tell: the shortest RTT, and which credits are lost. A peer answers each credit at once, so credits sent before an answered one
 * met nothing or will not arrive. One flow alone learns that from its own next credit (PROTOCOL §4.5), which is late with hundreds of flows.
 */
export class PeerCredits {
  readonly shortestRtt = new ShortestRtt();
  /** Where credits went that were not seen overtaken, oldest first, in a ring: the flow's slot and the time for each. */
  private trail = new Float64Array(2 * INITIAL_CREDITS);
  private first = 0;
  private count = 0;
  /** The latest credit that was answered went out then. */
  private answeredNs = Number.NEGATIVE_INFINITY;
  /** When the credit of `takeOvertaken` went out. */
  overtakenNs = 0;

  /** The flow in `slot` sends a credit. */
  sent(slot: number, nowNs: number): void {
    if (this.count === this.trail.length / 2) this.makeRoom();
    const at = this.placeOf(this.count++);
    this.trail[at] = slot;
    this.trail[at + 1] = nowNs;
  }

  /** Data has come for a credit that went out at `sentNs`. */
  answered(sentNs: number): void {
    if (sentNs > this.answeredNs) this.answeredNs = sentNs;
  }

  /** Takes the oldest credit if one sent `marginNs` later was answered; returns the slot of its flow, which may know its fate or be over; NO_SLOT for none. */
  takeOvertaken(marginNs: number): number {
    const at = this.placeOf(0);
    if (this.count === 0 || this.trail[at + 1] + marginNs > this.answeredNs) return NO_SLOT;
    this.first = (this.first + 1) & (this.trail.length / 2 - 1);
    this.count--;
    this.overtakenNs = this.trail[at + 1];
    return this.trail[at];
  }

  private placeOf(index: number): number {
    return 2 * ((this.first + index) & (this.trail.length / 2 - 1));
  }

  private makeRoom(): void {
    if (this.count === MAX_CREDITS) {
      this.first = (this.first + 1) & (MAX_CREDITS - 1);
      this.count--;
      return;
    }
    const trail = new Float64Array(2 * this.trail.length);
    const split = 2 * this.first;
    trail.set(this.trail.subarray(split));
    trail.set(this.trail.subarray(0, split), this.trail.length - split);
    this.trail = trail;
    this.first = 0;
  }
}
