// Tested by test/core/credit/expresspass.test.ts and test/core/credit/steady.test.ts
import { parameter } from '../../base/setting.js';
import {
  type CreditAlgorithm,
  type CreditAlgorithmDefinition,
  type CreditLink,
  type CreditParameter,
  type CreditParameters,
  type CreditSample,
  floorRateBps,
  sentBps,
  updatePeriodNs,
} from './algorithm.js';

/**
 * The parameters that ExpressPass 2017 names, shared by the algorithms that follow it.
 * Tested by test/core/credit/expresspass.test.ts and test/core/credit/steady.test.ts.
 */

export const INITIAL_RATE = parameter('initial_rate', [1 / 16, 0.001, 1], 'share of max rate', {
  meaning: 'rate of a new flow',
  source: 'ExpressPass 2017 §3.3 (1 to 1/32; 1/16 for realistic workloads); docs/decisions/0003-credit-feedback.md',
});

export const W_INIT = parameter('w_init', [0.5, 0.0001, 1], '', {
  meaning: 'aggressiveness of a new flow, at most w_max',
  source: 'ExpressPass 2017 §3.3',
});

export const W_MIN = parameter('w_min', [0.01, 0.0001, 0.1], '', {
  meaning: 'lowest aggressiveness',
  source: 'ExpressPass 2017 §3.2',
});

export const W_MAX = parameter('w_max', [0.5, 0.1, 1], '', {
  meaning: 'highest aggressiveness',
  source: 'ExpressPass 2017, Algorithm 1',
});

export const TARGET_LOSS = parameter('target_loss', [0.1, 0, 0.5], 'share of credits', {
  meaning:
    'credit loss that a flow aims at; the rate falls to its floor on a path that loses more at random (0.1: 5 % of all frames each way)',
  source: 'ExpressPass 2017 §3.3',
});

export const PERIOD_CREDITS = parameter('period_credits', [32, 1, 1024], 'credits', {
  meaning: 'credits at the maximum rate that an update period holds at least; it lasts an RTT where that is longer',
  source:
    'ours: 32 so that a loss is a number on a slow link, docs/decisions/0003-credit-feedback.md (both papers: every RTT)',
});

/** For the rules that are taken as they were published: every RTT, but for paths on which an RTT holds less than one credit. */
const PERIOD_EVERY_RTT: CreditParameter = { ...PERIOD_CREDITS, default: 1, source: 'both papers: every RTT' };

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017), which leaves open at which rate lost credits were sent. Ours: at least one credit an update period, or a flow
 * that lost all would stay silent; a decrease goes no higher than increases do. The phase before the first update counts as not increasing.
 */
export abstract class Listing implements CreditAlgorithm {
  abstract readonly name: string;
  rateBps: number;

  protected readonly link: CreditLink;
  protected readonly wMin: number;
  private readonly wMax: number;
  private readonly targetLoss: number;
  private readonly periodCredits: number;
  protected w: number;
  private wasIncreasing = false;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.wMin = parameters.w_min;
    this.wMax = parameters.w_max;
    this.targetLoss = parameters.target_loss;
    this.periodCredits = parameters.period_credits;
    this.w = Math.min(parameters.w_init, this.wMax);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  /** The loss that a sample shows, 0 to 1; -1: it shows nothing. */
  protected lossOf({ known, dropped }: CreditSample): number {
    return known === 0 ? -1 : dropped / known;
  }

  /** The rate that a loss in the sample is taken off, bit/s. */
  protected abstract lossyBps(sample: CreditSample): number;

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, this.periodCredits);
  }

  update(sample: CreditSample): void {
    const loss = this.lossOf(sample);
    if (loss < 0) return;
    if (loss <= this.targetLoss) this.increase();
    else this.decrease(this.lossyBps(sample) * (1 - loss));
    this.rateBps = Math.max(this.rateBps, this.lowestBps(sample));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, increasing: Number(this.wasIncreasing) };
  }

  /** C of the paper's section 4: what increases converge to. */
  private get ceilingBps(): number {
    return this.link.maxRateBps * (1 + this.targetLoss);
  }

  protected lowestBps({ rttNs }: CreditSample): number {
    return floorRateBps(this.link, this.updatePeriodNs(rttNs));
  }

  private increase(): void {
    if (this.wasIncreasing) this.w = (this.w + this.wMax) / 2;
    this.rateBps = (1 - this.w) * this.rateBps + this.w * this.ceilingBps;
    this.wasIncreasing = true;
  }

  private decrease(arrivedBps: number): void {
    this.rateBps = Math.min(this.ceilingBps, arrivedBps * (1 + this.targetLoss));
    this.w = Math.max(this.w / 2, this.wMin);
    this.wasIncreasing = false;
  }
}

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017) with a loss taken off the rate at which the sample's credits were sent, `known / span`: links stay full, 0.998
 * with 2 to 256 flows on one bottleneck. Less fair than the authors' code (docs/decisions/0003-credit-feedback.md).
 */
class ExpressPass extends Listing {
  readonly name = 'expresspass';

  protected lossyBps(sample: CreditSample): number {
    return sentBps(this.link, sample, this.rateBps);
  }
}

export const expresspass: CreditAlgorithmDefinition = {
  name: 'expresspass',
  summary: 'ExpressPass 2017 with its credit loss counted where it belongs',
  parameters: [INITIAL_RATE, W_INIT, W_MIN, W_MAX, TARGET_LOSS, PERIOD_CREDITS],
  create: (link, parameters) => new ExpressPass(link, parameters),
};

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017) taken literally, for comparison: a loss is taken off the rate in force, so one overload counts twice and the link
 * runs empty (docs/decisions/0003-credit-feedback.md).
 */
class ExpressPassLiteral extends Listing {
  readonly name = 'expresspass-literal';

  protected lossyBps(): number {
    return this.rateBps;
  }
}

export const expresspassLiteral: CreditAlgorithmDefinition = {
  name: 'expresspass-literal',
  summary: 'Algorithm 1 of ExpressPass 2017 taken literally, for comparison',
  parameters: [INITIAL_RATE, W_INIT, W_MIN, W_MAX, TARGET_LOSS, PERIOD_EVERY_RTT],
  create: (link, parameters) => new ExpressPassLiteral(link, parameters),
};

/**
 * Algorithm 1 of the 2016 paper (Cho, Han, Jang: "ExpressPass: End-to-End Credit-based Congestion Control for Datacenters"). Section 2.2 counts a credit
 * that found no data as lost. Ours: at least one credit an update period. Its credit queue of 16 and jitter of 1 % are settings of port and endpoint.
 */
class ExpressPass2016 implements CreditAlgorithm {
  readonly name = 'expresspass-2016';
  rateBps: number;

  private readonly link: CreditLink;
  private readonly periodCredits: number;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.periodCredits = parameters.period_credits;
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, this.periodCredits);
  }

  update({ known, used, rateBps, rttNs }: CreditSample): void {
    if (known === 0) return;
    const { maxRateBps } = this.link;
    const nextBps = used < known ? Math.min(rateBps, maxRateBps) : (this.rateBps + maxRateBps) / 2;
    this.rateBps = Math.max(nextBps, floorRateBps(this.link, this.updatePeriodNs(rttNs)));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps };
  }
}

export const expresspass2016: CreditAlgorithmDefinition = {
  name: 'expresspass-2016',
  summary: 'ExpressPass 2016: the data rate after any loss, else halfway to the maximum',
  parameters: [INITIAL_RATE, PERIOD_EVERY_RTT],
  create: (link, parameters) => new ExpressPass2016(link, parameters),
};

/** Credits at the full rate always, whatever becomes of them: the scheme that ExpressPass 2017 (Figure 10) compares itself with. */
class NaiveCredit implements CreditAlgorithm {
  readonly name = 'naive';
  private readonly link: CreditLink;

  constructor(link: CreditLink) {
    this.link = link;
  }

  get rateBps(): number {
    return this.link.maxRateBps;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, 1);
  }

  update(): void {}

  state(): Record<string, number> {
    return {};
  }
}

export const naive: CreditAlgorithmDefinition = {
  name: 'naive',
  summary: 'credits at the full rate always (ExpressPass 2017, Figure 10)',
  parameters: [],
  create: (link) => new NaiveCredit(link),
};

/**
 * The public ns-2 code of the authors of ExpressPass. Against the 2017 listing: the target loss shrinks to 0 towards the maximum rate; a decrease goes to the
 * delivered rate and never raises; w grows by steps. Unused credits count as delivered here. Credits of 76 to 92 B and jitter of 0.1 are the
 * endpoint's settings.
 */
class ExpressPassNs2 implements CreditAlgorithm {
  readonly name = 'expresspass-ns2';
  rateBps: number;

  private readonly link: CreditLink;
  private readonly parameters: CreditParameters;
  private w: number;
  private wasIncreasing = false;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.parameters = parameters;
    this.w = Math.min(parameters.w_init, parameters.w_max);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, this.parameters.period_credits);
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    const { maxRateBps } = this.link;
    const target = this.parameters.target_loss * (1 - this.rateBps / maxRateBps);
    if (sample.dropped <= target * sample.known) this.increase();
    else this.decrease(sample, target);
    const floorBps = floorRateBps(this.link, this.updatePeriodNs(sample.rttNs));
    this.rateBps = Math.min(maxRateBps, Math.max(this.rateBps, floorBps));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, increasing: Number(this.wasIncreasing) };
  }

  private increase(): void {
    const { w_step: step, w_max: wMax } = this.parameters;
    if (this.wasIncreasing) this.w = Math.min(this.w + step, wMax);
    this.rateBps = this.w * this.link.maxRateBps + (1 - this.w) * this.rateBps;
    this.wasIncreasing = true;
  }

  private decrease({ known, dropped, elapsedNs }: CreditSample, target: number): void {
    const deliveredBps = ((known - dropped) * this.link.bytesPerCredit * 8e9) / elapsedNs;
    this.rateBps = Math.min(this.rateBps, deliveredBps * (1 + target));
    this.w = Math.max(this.w / 2, this.parameters.w_min);
    this.wasIncreasing = false;
  }
}

const SOURCE = "the authors' public ns-2 code of ExpressPass 2017";

export const expresspassNs2: CreditAlgorithmDefinition = {
  name: 'expresspass-ns2',
  summary: "what the authors' own ns-2 code of ExpressPass 2017 does",
  parameters: [
    { ...INITIAL_RATE, default: 0.5, source: SOURCE },
    W_INIT,
    W_MIN,
    W_MAX,
    { ...TARGET_LOSS, default: 0.125, meaning: 'credit loss that a flow aims at as its rate nears 0', source: SOURCE },
    parameter('w_step', [0.05, 0, 0.5], '', {
      meaning: 'what is added to w at each increase but the first in a row',
      source: SOURCE,
    }),
    PERIOD_EVERY_RTT,
  ],
  create: (link, parameters) => new ExpressPassNs2(link, parameters),
};
