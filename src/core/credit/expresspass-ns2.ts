import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { INITIAL_RATE, PERIOD_EVERY_RTT, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';
import { floorRateBps, updatePeriodNs } from './period.js';

/**
 * What the public ns-2 code of the authors of ExpressPass does, from which the 2017 paper's listing differs: the target loss shrinks to nothing as the
 * rate nears the maximum; a decrease goes to the rate at which credits were delivered, and never raises the rate; w grows by steps; the rate stays between
 * one credit an RTT and the maximum. Credits that found no data count as delivered here; there, gaps in the echoed sequence do not tell them from lost ones.
 * Its credits of 76 to 92 B and jitter of 0.1 are settings of the endpoint.
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

const W_STEP: CreditParameter = {
  name: 'w_step',
  default: 0.05,
  min: 0,
  max: 0.5,
  unit: '1',
  meaning: 'what is added to w at each increase but the first in a row',
  source: SOURCE,
};

export const expresspassNs2: CreditAlgorithmDefinition = {
  name: 'expresspass-ns2',
  summary: "what the authors' own ns-2 code of ExpressPass 2017 does",
  parameters: [
    { ...INITIAL_RATE, default: 0.5, source: SOURCE },
    W_INIT,
    W_MIN,
    W_MAX,
    { ...TARGET_LOSS, default: 0.125, meaning: 'credit loss that a flow aims at as its rate nears 0', source: SOURCE },
    W_STEP,
    PERIOD_EVERY_RTT,
  ],
  create: (link, parameters) => new ExpressPassNs2(link, parameters),
};
