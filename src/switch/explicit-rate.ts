import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import { creditRateCode, flags } from '../wire/decode.js';
import { codeOfRate, rateOfCode } from '../wire/rate-code.js';
import { lowerExplicitRate } from '../wire/rewrite.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Credit, CreditFlag, MAX_HOP_LIMIT, NO_HOP } = layout;

/** Credits of the whole link that a measurement lasts at least. Ours: 16 follow sooner and are 5 % off with two flows. */
const LEAST_CREDITS = 32;
const OVERLOAD = 0.1;

/**
 * The rate that a port offers each flow whose credits pass it: its max-min share of the link, by what the credits say of their flows. No state for flows is kept.
 * PROTOCOL §9.7, docs/decisions/0020-explicit-rate.md
 */
export class ExplicitRate {
  private linkBps: number;
  private bitsPerCredit: number;
  /** Rate offered, bit/s, and its code. */
  private offeredBps: number;
  private code: number;
  private startNs = 0;
  private lengthNs = 0;
  /** Flows that take what this port offers: each adds the time that a credit stands for at its rate, ns. */
  private limitedNs = 0;
  /** The same of flows that others limit, and the bits of their credits. */
  private otherNs = 0;
  private otherBits = 0;
  private fastestBps = 0;

  constructor(rateBps: number, bitsPerCredit: number) {
    this.linkBps = rateBps;
    this.bitsPerCredit = bitsPerCredit;
    this.offeredBps = rateBps;
    this.code = codeOfRate(rateBps);
    this.setLength(1);
  }

  get rateBps(): number {
    return this.offeredBps;
  }

  configure(rateBps: number, bitsPerCredit: number): void {
    if (rateBps === this.linkBps && bitsPerCredit === this.bitsPerCredit) return;
    this.linkBps = rateBps;
    this.bitsPerCredit = bitsPerCredit;
    this.offer(rateBps);
    this.setLength(1);
  }

  /** A credit has come to the port, and is queued or dropped. */
  count(frame: Frame, nowNs: number): void {
    const { bytes } = frame;
    const code = creditRateCode(bytes);
    if (code === 0 || this.linkBps === Number.POSITIVE_INFINITY) return;
    if (nowNs - this.startNs >= this.lengthNs) this.measure(nowNs);
    const flowBps = rateOfCode(code);
    const { bitsPerCredit } = this;
    const creditNs = (bitsPerCredit * 1e9) / flowBps;
    if (flowBps >= this.offeredBps || (flags(bytes) & CreditFlag.hopMask) === hopOf(frame)) this.limitedNs += creditNs;
    else {
      this.otherNs += creditNs;
      this.otherBits += bitsPerCredit;
      if (flowBps > this.fastestBps) this.fastestBps = flowBps;
    }
  }

  /** A credit leaves the port. */
  stamp(frame: Frame): void {
    const { bytes } = frame;
    if (creditRateCode(bytes) === 0 || frame.length < Credit.bytes + Credit.explicitBytes) return;
    lowerExplicitRate(bytes, this.code, hopOf(frame));
  }

  private measure(nowNs: number): void {
    const elapsedNs = nowNs - this.startNs;
    const limited = this.limitedNs / elapsedNs;
    const others = this.otherNs / elapsedNs;
    const othersBps = (this.otherBits * 1e9) / elapsedNs;
    const wholeBps = this.linkBps * (1 + OVERLOAD * Math.max(0, 1 - 32 / (limited + others)));
    const leftBps = wholeBps - othersBps;
    if (limited > 0.01) this.offer(Math.max(leftBps / limited, wholeBps / (limited + others)));
    else if (leftBps >= 0) this.offer(this.fastestBps + leftBps);
    else this.offer((this.fastestBps * wholeBps) / othersBps);
    this.setLength(limited + others);
    this.startNs = nowNs;
    this.limitedNs = this.otherNs = this.otherBits = this.fastestBps = 0;
  }

  private offer(wantedBps: number): void {
    const rateBps = Math.min(wantedBps, this.linkBps);
    const ratio = this.offeredBps / rateBps;
    const isNews = ratio > 1.25 || ratio < 0.8;
    this.offeredBps = isNews ? rateBps : this.offeredBps + (rateBps - this.offeredBps) * 0.25;
    this.code = codeOfRate(this.offeredBps);
  }

  /** Every flow is to be seen once or twice. */
  private setLength(flows: number): void {
    this.lengthNs = (Math.max(LEAST_CREDITS, flows) * this.bitsPerCredit * 1e9) / this.linkBps;
  }
}

function hopOf({ hopLimit }: Frame): number {
  return Math.min(MAX_HOP_LIMIT - hopLimit, NO_HOP - 1);
}
