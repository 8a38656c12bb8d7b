import { creditRateCode, flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import { codeOfRate, nsPerBit, rateOfCode } from '../wire/rate-code.js';
import { lowerExplicitRate } from '../wire/rewrite.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Credit, CreditFlag, MAX_HOP_LIMIT, NO_HOP } = layout;

/** Credits of the whole link that a measurement lasts at least. Ours: 32 find a flow that joins half an RTT later at 10 Gbit/s. */
const LEAST_CREDITS = 16;

/** A measurement takes a flow for no more flows than this, however slow its credits say it is: a forged one costs the others no more. */
const MOST_FLOWS_OF_CREDIT = 2;

/**
 * Offers go beyond the link by this part for each doubling of the flows beyond those whose credits the queue can hold: more of them come at random, and a queue that is empty now and then is a link that is
 * idle. Ours: docs/decisions/0020-explicit-rate.md.
 */
const OVERLOAD_OF_DOUBLING = 0.1;
const FLOWS_OF_PLACE = 4;

/** An offer that differs by more than this part is news and holds at once; any other is noise, of which a quarter counts. Ours: 64 flows are counted with 12 % of noise. */
const NEWS = 1.25;
const NOISE_WEIGHT = 0.25;

/** Of the link's rate: an offer goes no further. Above 1 it fills the link of a lone flow whose credits are lost on the way to it. */
const MOST_OF_LINK = 1.25;

/** Of the link: what a class that gets nothing of it is offered all the same, so that its flows hear soon that the other one has stopped. Ours. */
const LEAST_CLASS = 0.01;

/** Flows that a port counts at most: forged credits make offers no smaller and measurements no longer. Ours: as many credits of 10 Gbit/s take 21 ms. */
const MOST_FLOWS = 16_384;

/** Flows below which nobody is limited by this port: one that has just gone. */
const SOMEBODY = 0.01;

/**
 * The rate that a port offers each flow whose credits pass it: the max-min share of its link (Bertsekas and Gallager, 1992, Section 6.5.2). No state for flows is kept: a credit of a flow of rate r stands for
 * the time b / r until the next (b: what a credit and its data take of the link), and all those times that begin in a measurement, over its length, are the number of flows. Flows that say that another
 * hop limits them take what they take; the others share the rest. PROTOCOL §9.7, docs/decisions/0020-explicit-rate.md
 *
 * In the manner of the explicit rates of ATM (ABR, Charny 1994) and of s-PERC (Jose et al., 2019), but by counting instead of agreeing.
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
  /** Of the others. */
  private fastestBps = 0;
  /** What all credits of the measurement before took of the link. */
  private takenBps = 0;
  private bits = 0;
  private rival: ExplicitRate | null = null;
  private leastPart = 1;

  /** `rateBps`: of the link, Infinity for an unlimited one, which offers nothing; `creditBits`: what a credit and its data take of it; `queueFrames`: credits that wait at the port at most. */
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
    const wholeBps = capacityBps * (1 + this.overload(flows));
    const othersBps = (this.otherBits * 1e9) / elapsedNs;
    // No flow's max-min share is below an equal part of all; others that say less than they take are then held to it.
    if (limited > SOMEBODY) this.offer(Math.max((wholeBps - othersBps) / limited, wholeBps / flows));
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
    this.lengthNs = Math.max(LEAST_CREDITS / this.linkBps, flows / capacityBps) * this.creditBits * 1e9;
  }
}

/** As credits name hops. PROTOCOL §9.7 */
function hopOf({ hopLimit }: Frame): number {
  return Math.min(MAX_HOP_LIMIT - hopLimit, NO_HOP - 1);
}
