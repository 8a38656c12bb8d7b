import type { CreditAlgorithm, CreditAlgorithmDefinition, CreditLink, CreditParameters, CreditSample } from './algorithm.js';
import { INITIAL_RATE, PERIOD_CREDITS } from './paper-parameters.js';
import { updatePeriodNs } from './period.js';

class Steady implements CreditAlgorithm {
  rateBps: number;
  hop = 15;
  private readonly link: CreditLink;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  get name(): string {
    return steady.name;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, 0.5 * rttNs, 4);
  }

  update(sample: CreditSample): void {
    if (sample.explicitBps === 0) return;
    this.rateBps = Math.min(0.99 * this.link.maxRateBps, sample.explicitBps);
    this.hop = sample.hop;
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps };
  }
}

export const steady: CreditAlgorithmDefinition = {
  name: 'steady',
  summary: 'our own law: the max-min share that the ports of the path offer (default)',
  parameters: [INITIAL_RATE, PERIOD_CREDITS],
  create: (link, parameters) => new Steady(link, parameters),
};
