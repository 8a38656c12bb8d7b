import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { INITIAL_RATE, PERIOD_EVERY_RTT } from './paper-parameters.js';
import { floorRateBps, updatePeriodNs } from './period.js';

/**
 * Algorithm 1 of the 2016 paper (Cho, Han, Jang: "ExpressPass: End-to-End Credit-based Congestion Control for Datacenters"): after any credit loss the
 * rate becomes the average data rate of the period, otherwise it goes halfway to the maximum. Section 2.2 counts a credit that found no data as lost, so
 * that a flow whose application is slow asks for no more than it uses. Ours: at least one credit an update period, since a flow that got no data would
 * be silent for ever. The paper's credit queue of 16 and jitter of 1 % are settings of the port and of the endpoint.
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
