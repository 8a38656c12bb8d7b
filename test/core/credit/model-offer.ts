/** Credits of the whole link that a measurement lasts at least; with more flows than that, one credit for each. PROTOCOL §9.7 */
const LEAST_CREDITS = 32;
/** Links are offered too much by this part where flows are without number, and by nothing up to LEAST_CREDITS flows. */
const OVERLOAD = 0.1;
/** A new rate is taken at once where it differs by a quarter, and by this part where it does not. */
const NEWS = 1.25;
const STEP = 0.25;

interface Said {
  flowBps: number;
  limitedHere: boolean;
}

/**
 * The rate that a port offers to each flow, from what its credits say: src/switch/explicit-rate.ts a second time, in plain steps and with rates that no code
 * rounds. model-offer.test.ts holds the two to each other.
 */
export class ModelOffer {
  offeredBps: number;
  private readonly linkBps: number;
  private readonly bitsPerCredit: number;
  private said: Said[] = [];
  private fromNs = 0;
  private lengthNs: number;

  constructor(linkBps: number, bytesPerCredit: number) {
    this.linkBps = linkBps;
    this.offeredBps = linkBps;
    this.bitsPerCredit = 8 * bytesPerCredit;
    this.lengthNs = this.creditsNs(LEAST_CREDITS);
  }

  /** A credit has come that says the rate of its flow, and whether this port is the one that limits it. */
  count(flowBps: number, isLimiting: boolean, nowNs: number): void {
    if (nowNs - this.fromNs >= this.lengthNs) this.conclude(nowNs);
    this.said.push({ flowBps, limitedHere: isLimiting || flowBps >= this.offeredBps });
  }

  private conclude(nowNs: number): void {
    const elapsedNs = nowNs - this.fromNs;
    const takers = this.said.filter(({ limitedHere }) => limitedHere);
    const others = this.said.filter(({ limitedHere }) => !limitedHere);
    const flows = this.flowsOf(this.said, elapsedNs);
    this.take(this.fairBps(this.flowsOf(takers, elapsedNs), others, elapsedNs, this.wholeBps(flows)));
    this.lengthNs = this.creditsNs(Math.max(LEAST_CREDITS, flows));
    this.fromNs = nowNs;
    this.said = [];
  }

  /** A flow at rate r sends r / bits credits a second, so each of its credits is a part of `bits / r / elapsed` of it. */
  private flowsOf(said: readonly Said[], elapsedNs: number): number {
    return said.reduce((sum, { flowBps }) => sum + this.bitsPerCredit / flowBps, 0) / (elapsedNs / 1e9);
  }

  private wholeBps(flows: number): number {
    return flows <= LEAST_CREDITS ? this.linkBps : this.linkBps * (1 + OVERLOAD * (1 - LEAST_CREDITS / flows));
  }

  /** What the others leave to those who take what is offered, and never less than if all did. Where nobody does, there is room above the fastest, or too little for all. */
  private fairBps(takers: number, others: readonly Said[], elapsedNs: number, wholeBps: number): number {
    const othersBps = (others.length * this.bitsPerCredit) / (elapsedNs / 1e9);
    const leftBps = wholeBps - othersBps;
    if (takers > 0.01) return Math.max(leftBps / takers, wholeBps / (takers + this.flowsOf(others, elapsedNs)));
    const fastestBps = Math.max(0, ...others.map(({ flowBps }) => flowBps));
    return leftBps >= 0 ? fastestBps + leftBps : (fastestBps * wholeBps) / othersBps;
  }

  private take(fairBps: number): void {
    const newBps = Math.min(fairBps, this.linkBps);
    const isNews = Math.max(newBps / this.offeredBps, this.offeredBps / newBps) > NEWS;
    this.offeredBps += (isNews ? 1 : STEP) * (newBps - this.offeredBps);
  }

  private creditsNs(credits: number): number {
    return (credits * this.bitsPerCredit * 1e9) / this.linkBps;
  }
}
