import type { CreditAlgorithm, CreditAlgorithmDefinition, CreditLink } from './algorithm.js';
import { updatePeriodNs } from './period.js';

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
