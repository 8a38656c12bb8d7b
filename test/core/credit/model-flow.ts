import type { Random } from '../../../src/base/random.js';
import type { CreditAlgorithm, CreditLink, CreditSample } from '../../../src/core/credit/algorithm.js';
import { creditGapNs } from '../../../src/core/credit/algorithm.js';
import { codeOfRate, rateOfCode } from '../../../src/wire/rate-code.js';
import type { ModelCredit } from './event-queue.js';
import type { FlowSpec } from './model-spec.js';

/** Credits remembered: more than are ever outstanding. */
const REMEMBERED = 1 << 14;
/** Moments of waking that are drawn before they repeat. */
const WAKES = 1024;
/** Weight of a new sample in the smoothed RTT (as in the authors' ns-2 code). */
const RTT_GAIN = 0.2;
/** The same of its variation (RFC 6298). */
const VARIATION_GAIN = 0.25;
/** A credit is given up after this many update periods, or RTTs, without an echo (PROTOCOL §4.5 leaves the time open). */
const LIFE_PERIODS = 4;

export interface ModelFlowOptions {
  spec: FlowSpec;
  link: CreditLink;
  random: Random;
  jitter: number;
  wakeNs: number;
  binNs: number;
}

/** The receiver of one flow: paces credits, learns their fates from the echoes and updates the algorithm. */
export class ModelFlow {
  readonly algorithm: CreditAlgorithm;
  nextDueNs: number;
  lastSequence = -1;
  /** Credits that were lost since the start. */
  totalDropped = 0;

  /** Data frames that arrived in each bin. */
  private readonly delivered: number[] = [];
  private readonly options: ModelFlowOptions;
  private readonly wakes = new Float64Array(WAKES);
  private readonly dueNs = new Float64Array(REMEMBERED);
  private readonly sample: CreditSample;
  private lastKnown = -1;
  private lastSampled = -1;
  private lastUpdateNs = 0;
  /** Of the credit before. */
  private lastBps = 0;
  /** Explicit rates that came with data in this period, and their sum. */
  private offers = 0;
  private offersBps = 0;

  constructor(options: ModelFlowOptions) {
    this.options = options;
    this.algorithm = options.spec.makeAlgorithm(options.link);
    this.nextDueNs = options.spec.startNs;
    for (let turn = 0; turn < WAKES; turn++) this.wakes[turn] = options.random.next();
    this.sample = {
      nowNs: 0,
      elapsedNs: 0,
      heldBack: false,
      rttNs: 0,
      minRttNs: Number.POSITIVE_INFINITY,
      rttVariationNs: 0,
      latestRttNs: 0,
      spanNs: 0,
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
  }

  /** When the receiving process notices something that is due at `dueNs`: once in every `wakeNs`, at a random moment of it. */
  wakeAt(dueNs: number): number {
    const { wakeNs } = this.options;
    if (wakeNs === 0) return dueNs;
    for (let turn = Math.max(0, Math.floor(dueNs / wakeNs) - 1); ; turn++) {
      const atNs = (turn + this.wakes[turn % WAKES]) * wakeNs;
      if (atNs >= dueNs) return atNs;
    }
  }

  /** Issues the credit that is due; true if the rate was updated on the way. */
  emit(nowNs: number): boolean {
    this.giveUp(nowNs);
    const updated = this.update(nowNs);
    const { link, jitter, random } = this.options;
    this.lastSequence++;
    this.dueNs[this.lastSequence % REMEMBERED] = this.nextDueNs;
    const gapNs = creditGapNs(link, this.rateBps);
    this.nextDueNs += gapNs * (1 + jitter * (2 * random.next() - 1));
    if (this.algorithm.hop !== undefined) this.nextDueNs += gapNs * this.spreading(random);
    this.lastBps = this.rateBps;
    return updated;
  }

  /** Of a gap: flows that have heard nothing, or have just heard of half their rate or less, would else send together. PROTOCOL §4.4 */
  private spreading(random: Random): number {
    const unheard = this.isUnheard ? random.next() - 0.5 : 0;
    return unheard + (this.lastBps >= 2 * this.rateBps ? random.next() : 0);
  }

  /** What its credits say of it; 0: they ask for no explicit rate. */
  get saidBps(): number {
    const { hop, weight = 1 } = this.algorithm;
    return hop === undefined ? 0 : rateOfCode(codeOfRate(this.rateBps / weight));
  }

  /** Takes the data frame that echoes a credit; true if the rate was updated. */
  echo({ sequence, offeredBps, offeringHop }: ModelCredit, nowNs: number): boolean {
    this.deliver(nowNs);
    if (sequence <= this.lastKnown) return false;
    this.measure(nowNs - this.sentNs(sequence));
    this.sample.used++;
    this.sample.dataFrames++;
    if (offeredBps < Number.POSITIVE_INFINITY) {
      this.offers++;
      this.offersBps += offeredBps;
      this.sample.hop = offeringHop;
    }
    this.know(sequence, sequence - this.lastKnown - 1);
    return this.update(nowNs);
  }

  /** Data frames that arrived from the bin of `fromNs` up to the bin of `toNs`, that one left out. */
  deliveredIn(fromNs: number, toNs: number): number {
    let frames = 0;
    const { binNs } = this.options;
    for (let bin = Math.round(fromNs / binNs); bin < Math.round(toNs / binNs); bin++)
      frames += this.delivered[bin] ?? 0;
    return frames;
  }

  private deliver(nowNs: number): void {
    const bin = Math.floor(nowNs / this.options.binNs);
    this.delivered[bin] = (this.delivered[bin] ?? 0) + 1;
  }

  private measure(rttNs: number): void {
    const { sample } = this;
    if (sample.rttNs === 0) {
      sample.rttNs = rttNs;
      sample.rttVariationNs = rttNs / 2;
      this.lastUpdateNs = this.options.spec.startNs;
    }
    sample.rttVariationNs += VARIATION_GAIN * (Math.abs(rttNs - sample.rttNs) - sample.rttVariationNs);
    sample.rttNs += RTT_GAIN * (rttNs - sample.rttNs);
    sample.minRttNs = Math.min(sample.minRttNs, rttNs);
  }

  /** The rate in force: a flow that has heard nothing may slow down. */
  private get rateBps(): number {
    const { algorithm } = this;
    return (this.isUnheard ? algorithm.unheardRateBps?.(this.lastSequence + 1) : undefined) ?? algorithm.rateBps;
  }

  private get isUnheard(): boolean {
    return this.sample.rttNs === 0;
  }

  private periodNs(): number {
    return this.algorithm.updatePeriodNs(this.sample.rttNs);
  }

  private know(sequence: number, dropped: number): void {
    this.sample.known += sequence - this.lastKnown;
    this.sample.dropped += dropped;
    this.totalDropped += dropped;
    this.lastKnown = sequence;
  }

  private giveUp(nowNs: number): void {
    if (this.sample.rttNs === 0) return;
    const deadNs = nowNs - LIFE_PERIODS * Math.max(this.periodNs(), this.sample.rttNs);
    while (this.lastKnown < this.lastSequence && this.sentNs(this.lastKnown + 1) < deadNs)
      this.know(this.lastKnown + 1, 1);
  }

  private update(nowNs: number): boolean {
    const { sample } = this;
    const elapsedNs = nowNs - this.lastUpdateNs;
    if (sample.known === 0 || elapsedNs < this.periodNs()) return false;
    const { link } = this.options;
    sample.nowNs = nowNs;
    sample.elapsedNs = elapsedNs;
    sample.spanNs = this.lastSampled < 0 ? 0 : this.sentNs(this.lastKnown) - this.sentNs(this.lastSampled);
    sample.rateBps = (sample.used * link.bytesPerCredit * 8e9) / elapsedNs;
    sample.explicitBps = this.offers === 0 ? 0 : this.offersBps / this.offers;
    this.algorithm.update(sample);
    this.startPeriod(nowNs);
    return true;
  }

  private startPeriod(nowNs: number): void {
    this.sample.known = 0;
    this.sample.used = 0;
    this.sample.dataFrames = 0;
    this.sample.dropped = 0;
    this.offers = 0;
    this.offersBps = 0;
    this.lastSampled = this.lastKnown;
    this.lastUpdateNs = nowNs;
  }

  private sentNs(sequence: number): number {
    return this.dueNs[sequence % REMEMBERED];
  }
}
