import { dataExplicitRate, flags } from '../wire/decode.js';
import { DataFlag, HOP_BITS, NO_HOP } from '../wire/layout.js';
import { rateOfCode } from '../wire/rate-code.js';
import type { CreditAlgorithm, CreditLink, CreditSample } from './credit/algorithm.js';
import type { CreditLedger } from './credit-ledger.js';
import { ownRecord, ReceiverPlace, type ReceiverRecord } from './flow-record.js';
import type { RttEstimator } from './rtt.js';

/** Filled anew for each update of any flow: one a flow would take 300 bytes. */
const SAMPLE: CreditSample = {
  nowNs: 0,
  elapsedNs: 0,
  rttNs: 0,
  minRttNs: 0,
  rttVariationNs: 0,
  latestRttNs: 0,
  spanNs: 0,
  heldBack: false,
  known: 0,
  used: 0,
  unused: 0,
  dropped: 0,
  takenBack: 0,
  dataFrames: 0,
  marked: 0,
  creditMarked: 0,
  explicitBps: 0,
  hop: 0,
  rateBps: 0,
};

/** Once per update period, gives a flow's credit algorithm what became of the flow's credits. PROTOCOL §4.7 */
export class RateControl {
  private readonly algorithm: CreditAlgorithm;
  private readonly link: CreditLink;
  private readonly numbers: Float64Array;
  private readonly at: number;
  private dataFrames = 0;
  private marked = 0;
  private creditMarked = 0;
  private explicitFrames = 0;
  private explicitBps = 0;
  private hop = 0;
  private heldBack = false;
  /** Credits sent before the first echo by an algorithm that had slowed down for want of one, and its rate before it did. */
  private slowedCredits = 0;
  private unslowedBps = 0;

  constructor(
    algorithm: CreditAlgorithm,
    link: CreditLink,
    nowNs: number,
    { numbers, at }: ReceiverRecord = ownRecord(),
  ) {
    this.algorithm = algorithm;
    this.link = link;
    this.numbers = numbers;
    this.at = at;
    numbers[at + ReceiverPlace.lastUpdateNs] = nowNs;
  }

  /** What the algorithm remembers; allocates. */
  get state(): Record<string, number> {
    return this.algorithm.state();
  }

  get rateBps(): number {
    return this.algorithm.rateBps;
  }

  /** As of the algorithm. */
  get limitingHop(): number | undefined {
    return this.algorithm.hop;
  }

  /** As of the algorithm. */
  get weight(): number {
    return this.algorithm.weight ?? 1;
  }

  get hastens(): boolean {
    return this.algorithm.hastens === true;
  }

  /** While none of the `sent` credits has been echoed. */
  unheardRateBps(sent: number): number {
    return this.algorithm.unheardRateBps?.(sent) ?? this.algorithm.rateBps;
  }

  /** The first echo, after `sent` credits. */
  heard(sent: number): void {
    const { rateBps } = this.algorithm;
    if (this.unheardRateBps(sent) >= rateBps) return;
    this.slowedCredits = sent;
    this.unslowedBps = rateBps;
  }

  /** The rate as a part of the link's. */
  get linkShare(): number {
    return this.algorithm.rateBps / this.link.maxRateBps;
  }

  /** A data frame has arrived, `marked` or not; it says whether its credit was, and what the ports of its credit's path offer. */
  countData(bytes: Uint8Array, marked: boolean): void {
    this.dataFrames++;
    if (marked) this.marked++;
    if ((flags(bytes) & DataFlag.creditCe) !== 0) this.creditMarked++;
    const explicitRate = dataExplicitRate(bytes);
    const rateCode = explicitRate >>> HOP_BITS;
    if (rateCode === 0) return;
    this.explicitFrames++;
    this.explicitBps += rateOfCode(rateCode);
    this.hop = explicitRate & NO_HOP;
  }

  /** A credit that was due had to wait for a window or the host's budget. */
  noteHeldBack(): void {
    this.heldBack = true;
  }

  /** A new period begins now: credits start or start again. */
  restart(nowNs: number): void {
    this.numbers[this.at + ReceiverPlace.lastUpdateNs] = nowNs;
    this.dataFrames = 0;
    this.marked = 0;
    this.creditMarked = 0;
    this.explicitFrames = this.explicitBps = 0;
    this.heldBack = false;
  }

  /** Updates the rate if the period is over and holds a credit of known fate; true if it did. */
  update(ledger: CreditLedger, rtt: RttEstimator, nowNs: number): boolean {
    if (ledger.periodKnown === 0) return false;
    const rttNs = rtt.waitNs(1);
    const elapsedNs = nowNs - this.numbers[this.at + ReceiverPlace.lastUpdateNs];
    if (elapsedNs < this.algorithm.updatePeriodNs(rttNs)) return false;
    const sample = SAMPLE;
    sample.nowNs = nowNs;
    sample.elapsedNs = elapsedNs;
    sample.rttNs = rttNs;
    sample.minRttNs = rtt.minNs;
    sample.rttVariationNs = rtt.variationNs;
    sample.latestRttNs = this.latestRttNs(ledger, nowNs) ?? rttNs;
    sample.spanNs = this.spanNs(ledger);
    sample.heldBack = this.heldBack;
    sample.known = ledger.periodKnown;
    sample.used = ledger.periodUsed;
    sample.unused = ledger.periodUnused;
    sample.dropped = ledger.periodDropped;
    sample.takenBack = ledger.periodTakenBack;
    sample.dataFrames = this.dataFrames;
    sample.marked = this.marked;
    sample.creditMarked = this.creditMarked;
    sample.explicitBps = this.explicitFrames === 0 ? 0 : this.explicitBps / this.explicitFrames;
    sample.hop = this.explicitFrames === 0 ? NO_HOP : this.hop;
    sample.rateBps = (ledger.periodUsed * this.link.bytesPerCredit * 8e9) / elapsedNs;
    this.algorithm.update(sample);
    ledger.startPeriod();
    this.restart(nowNs);
    return true;
  }

  /** Null where the period has no data, or its last echo names a credit that is forgotten. */
  private latestRttNs({ lastEchoSentNs }: CreditLedger, nowNs: number): number | null {
    return this.dataFrames > 0 && lastEchoSentNs < nowNs ? nowNs - lastEchoSentNs : null;
  }

  /**
   * A flow that slowed down for want of news, and whose credits then came through, does not take that pace for its share. One that lost them does: its rate is
   * lower by now.
   */
  private spanNs(ledger: CreditLedger): number {
    const spanNs = ledger.periodSpanNs;
    if (ledger.settled - ledger.periodKnown >= this.slowedCredits) return spanNs;
    const rateBps = Math.min(this.unslowedBps, this.algorithm.rateBps);
    return Math.min(spanNs, (ledger.periodKnown * this.link.bytesPerCredit * 8e9) / rateBps);
  }
}
