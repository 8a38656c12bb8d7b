import { codeOfRate, rateOfCode } from '../../../src/wire/rate-code.js';

/** Credits of the whole link that a measurement lasts at least; with more flows than that, one credit for each. PROTOCOL §9.7 */
const LEAST_CREDITS = 16;
/** Of a measurement that has the length of the one before: one credit stands for no more flows than this. */
const MOST_FLOWS_OF_CREDIT = 2;
/** Links are offered too much by this part where flows are without number, and by nothing up to as many flows as are punctual. */
const OVERLOAD = 0.1;
const PUNCTUAL_FLOWS = 32;
const MOST_FLOWS = 16_384;
/** A new rate is taken at once where it differs by a quarter, and by this part where it does not. */
const NEWS = 1.25;
const STEP = 0.25;
/** Of the link's rate: no more is offered. */
const MOST_OF_LINK = 1.25;

interface Said {
  flowBps: number;
  /** Part of the measurement's length that the credit stands for, as a time. */
  ns: number;
  limitedHere: boolean;
}

/**
 * The rate that a port offers to each flow, from what its credits say: src/switch/explicit-rate.ts a second time, in plain steps over a list of all credits.
 * model-offer.test.ts holds the two to each other.
 */
export class ModelOffer {
  offeredBps: number;
  /** As credits carry it, in the steps of rate codes. */
  carriedBps: number;
  private readonly linkBps: number;
  private readonly bitsPerCredit: number;
  private said: Said[] = [];
  private fromNs = 0;
  private lengthNs: number;

  constructor(linkBps: number, bytesPerCredit: number) {
    this.linkBps = linkBps;
    this.offeredBps = linkBps;
    this.carriedBps = carried(linkBps);
    this.bitsPerCredit = 8 * bytesPerCredit;
    this.lengthNs = this.creditsNs(LEAST_CREDITS);
  }

  /** A credit has come that says the rate of its flow, which is one that has a code, and whether this port is the one that limits it. */
  count(flowBps: number, isLimiting: boolean, nowNs: number): void {
    if (nowNs - this.fromNs >= this.lengthNs) this.conclude(nowNs);
    const ns = Math.min((this.bitsPerCredit / flowBps) * 1e9, MOST_FLOWS_OF_CREDIT * this.lengthNs);
    this.said.push({ flowBps, ns, limitedHere: isLimiting || flowBps >= this.carriedBps });
  }

  private conclude(nowNs: number): void {
    const elapsedNs = nowNs - this.fromNs;
    const takers = this.said.filter(({ limitedHere }) => limitedHere);
    const others = this.said.filter(({ limitedHere }) => !limitedHere);
    const flows = Math.min(MOST_FLOWS, flowsOf(takers, elapsedNs) + flowsOf(others, elapsedNs));
    this.take(this.fairBps(takers, others, elapsedNs));
    this.lengthNs = this.creditsNs(Math.max(LEAST_CREDITS, flows));
    this.fromNs = nowNs;
    this.said = [];
  }

  /**
   * What the others leave to those who take what is offered, and never less than if all did. Where nobody does, there is room above the fastest, or
   * too little for all.
   */
  private fairBps(takers: readonly Said[], others: readonly Said[], elapsedNs: number): number {
    const taking = flowsOf(takers, elapsedNs);
    const flows = Math.min(MOST_FLOWS, taking + flowsOf(others, elapsedNs));
    const tooMuch = flows <= PUNCTUAL_FLOWS ? 0 : OVERLOAD * Math.log2(flows / PUNCTUAL_FLOWS);
    const wholeBps = this.linkBps * (1 + tooMuch);
    const othersBps = (others.length * this.bitsPerCredit) / (elapsedNs / 1e9);
    const leftBps = wholeBps - othersBps;
    if (taking > 0.01) return (1 + tooMuch) * Math.max((this.linkBps - othersBps) / taking, this.linkBps / flows);
    const fastestBps = Math.max(0, ...others.map(({ flowBps }) => flowBps));
    return leftBps >= 0 ? fastestBps + leftBps : (fastestBps * wholeBps) / othersBps;
  }

  private take(fairBps: number): void {
    const newBps = Math.max(this.linkBps / MOST_FLOWS, Math.min(fairBps, MOST_OF_LINK * this.linkBps));
    const isNews = Math.max(newBps / this.offeredBps, this.offeredBps / newBps) > NEWS;
    this.offeredBps += (isNews ? 1 : STEP) * (newBps - this.offeredBps);
    this.carriedBps = carried(this.offeredBps);
  }

  private creditsNs(credits: number): number {
    return (credits * this.bitsPerCredit * 1e9) / this.linkBps;
  }
}

const carried = (rateBps: number): number => rateOfCode(codeOfRate(rateBps));

/** The time until its flow's next is what each credit stands for: all of them together are the flows, over the time in which they came. */
function flowsOf(said: readonly Said[], elapsedNs: number): number {
  return said.reduce((sum, { ns }) => sum + ns, 0) / elapsedNs;
}
