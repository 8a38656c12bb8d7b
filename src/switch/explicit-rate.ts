import { creditRateCode, flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { Credit, CreditFlag, MAX_HOP_LIMIT, NO_HOP } from '../wire/layout.js';
import { codeOfRate, nsPerBit, rateOfCode } from '../wire/rate-code.js';
import { lowerExplicitRate } from '../wire/rewrite.js';

/** Shortest measurement, in credits of the whole link. Ours: with 32, a flow that joins at 10 Gbit/s has its share half an RTT later. */
const LEAST_CREDITS = 16;

/** A credit counts as this many flows at most in a measurement, however slow a rate it names: a forged one costs the others no more. */
const MOST_FLOWS_OF_CREDIT = 2;

/**
 * Offers exceed the link by this part for each doubling of the flows beyond those whose credits the queue holds: random arrivals leave the credit queue empty
 * at times. docs/decisions/0020-explicit-rate.md
 */
const OVERLOAD_OF_DOUBLING = 0.1;
const FLOWS_OF_PLACE = 4;

/** A wanted rate that differs by more than this factor holds at once. The offer goes a quarter of the way to any other: 64 flows have 12 % of noise. Ours. */
const NEWS = 1.25;
const NOISE_WEIGHT = 0.25;

/** Largest offer, as a part of the link. Above 1, a lone flow fills the link although some of its credits are lost before they come to it. */
const MOST_OF_LINK = 1.25;

/** Part of the link that a class is offered although the other class takes all: its flows hear soon when the other one stops. Ours. */
const LEAST_CLASS = 0.01;

/** Flows that a port counts at most: forged credits make offers no smaller and measurements no longer. Ours: as many credits of 10 Gbit/s take 21 ms. */
const MOST_FLOWS = 16_384;

/** Fewer flows than this are none: credits of a flow that has just gone. */
const SOMEBODY = 0.01;

/**
 * Rate offered to each flow: the max-min share of the port's link (Bertsekas and Gallager, 1992, Section 6.5.2), without state for a flow. A credit of a flow
 * of rate r stands for a time b / r; their sum over the measurement's length is the number of flows. PROTOCOL §9.7, docs/decisions/0020
 */
export class ExplicitRate {
  private linkBps = 0;
  private creditBits = 0;
  private queueFrames = 0;
  /** Rate offered, bit/s, and its code. */
  private offeredBps = 0;
  private code = 0;
  /** Of the measurement under way. */
  private startNs = 0;
  private lengthNs = 0;
  /** Time that the credits of flows stand for: of those that this port limits, and of others. */
  private limitedNs = 0;
  private otherNs = 0;
  private otherBits = 0;
  /** Highest rate that one of the others names. */
  private fastestBps = 0;
  /** What the credits of the latest measurement took of the link, and those of the one under way. */
  private takenBps = 0;
  private bits = 0;
  private rival: ExplicitRate | null = null;
  private leastPart = 1;

  /** `rateBps`: of the link; Infinity offers nothing. `creditBits`: of a credit and its data. `queueFrames`: credits that the queue holds. */
  constructor(rateBps: number, creditBits: number, queueFrames: number) {
    this.configure(rateBps, creditBits, queueFrames);
  }

  /** Bit/s. */
  get rateBps(): number {
    return this.offeredBps;
  }

  /** Two classes of credits share the link: this one has what `rival` leaves of it, at least `leastPart`. PROTOCOL §9.8 */
  share(rival: ExplicitRate, leastPart: number): void {
    this.rival = rival;
    this.leastPart = Math.max(LEAST_CLASS, leastPart);
  }

  configure(rateBps: number, creditBits: number, queueFrames: number): void {
    this.queueFrames = queueFrames;
    if (rateBps === this.linkBps && creditBits === this.creditBits) return;
    this.linkBps = rateBps;
    this.creditBits = creditBits;
    this.offeredBps = rateBps;
    this.code = codeOfRate(rateBps);
    this.setLength(0, rateBps);
  }

  /** The same link as that of `other`. */
  takeLinkOf({ linkBps, creditBits, queueFrames }: ExplicitRate): void {
    this.configure(linkBps, creditBits, queueFrames);
  }

  /** A credit has come to the port, to be queued or dropped. */
  count(frame: Frame, nowNs: number): void {
    const { bytes } = frame;
    const code = creditRateCode(bytes);
    if (code === 0 || this.linkBps === Number.POSITIVE_INFINITY) return;
    if (nowNs - this.startNs >= this.lengthNs) this.measure(nowNs);
    const creditNs = Math.min(this.creditBits * nsPerBit(code), MOST_FLOWS_OF_CREDIT * this.lengthNs);
    this.bits += this.creditBits;
    if (code >= this.code || (flags(bytes) & CreditFlag.hopMask) === hopOf(frame)) this.limitedNs += creditNs;
    else {
      this.otherNs += creditNs;
      this.otherBits += this.creditBits;
      this.fastestBps = Math.max(this.fastestBps, rateOfCode(code));
    }
  }

  /** A credit leaves the port. */
  stamp(frame: Frame): void {
    if (frame.length < Credit.bytes + Credit.explicitBytes || creditRateCode(frame.bytes) === 0) return;
    lowerExplicitRate(frame.bytes, this.code, hopOf(frame));
  }

  private measure(nowNs: number): void {
    const elapsedNs = nowNs - this.startNs;
    const limited = this.limitedNs / elapsedNs;
    const flows = Math.min(MOST_FLOWS, limited + this.otherNs / elapsedNs);
    const capacityBps = this.rival === null ? this.linkBps : this.capacityBps(this.rival, nowNs);
    const wholePart = 1 + this.overload(flows);
    const wholeBps = wholePart * capacityBps;
    const othersBps = (this.otherBits * 1e9) / elapsedNs;
    // No flow's max-min share is below an equal part of all; others that say less than they take are then held to it.
    if (limited > SOMEBODY) this.offer(wholePart * Math.max((capacityBps - othersBps) / limited, capacityBps / flows));
    else if (othersBps <= wholeBps) this.offer(this.fastestBps + wholeBps - othersBps);
    else this.offer((this.fastestBps * wholeBps) / othersBps);
    this.takenBps = (this.bits * 1e9) / elapsedNs;
    this.startNs = nowNs;
    this.limitedNs = this.otherNs = this.otherBits = this.fastestBps = this.bits = 0;
    this.setLength(flows, capacityBps);
  }

  /** Part of the link by which `flows` together are offered more than it carries. */
  private overload(flows: number): number {
    const fitting = FLOWS_OF_PLACE * this.queueFrames;
    return flows <= fitting ? 0 : OVERLOAD_OF_DOUBLING * Math.log2(flows / fitting);
  }

  private capacityBps(rival: ExplicitRate, nowNs: number): number {
    return Math.max(this.leastPart * this.linkBps, this.linkBps - rival.takenNowBps(nowNs));
  }

  /** Nothing, once a measurement has lasted twice as long as it should: credits have stopped. */
  private takenNowBps(nowNs: number): number {
    return nowNs - this.startNs > 2 * this.lengthNs ? 0 : this.takenBps;
  }

  private offer(wantedBps: number): void {
    const rateBps = Math.max(this.linkBps / MOST_FLOWS, Math.min(wantedBps, MOST_OF_LINK * this.linkBps));
    const isNews = rateBps > this.offeredBps * NEWS || rateBps * NEWS < this.offeredBps;
    this.offeredBps += (isNews ? 1 : NOISE_WEIGHT) * (rateBps - this.offeredBps);
    this.code = codeOfRate(this.offeredBps);
  }

  /** Each of `flows` that take an equal part of `capacityBps` is seen about once. */
  private setLength(flows: number, capacityBps: number): void {
    const { linkBps, creditBits } = this;
    this.lengthNs = Math.max((LEAST_CREDITS * creditBits * 1e9) / linkBps, (flows * creditBits * 1e9) / capacityBps);
  }
}

/** As credits name hops. PROTOCOL §9.7 */
function hopOf({ hopLimit }: Frame): number {
  return Math.min(MAX_HOP_LIMIT - hopLimit, NO_HOP - 1);
}
