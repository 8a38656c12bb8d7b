import type { CreditAlgorithm, CreditLink, CreditSample } from '../../../src/core/credit/algorithm.js';
import { floorRateBps, updatePeriodNs } from '../../../src/core/credit/period.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import type { FlowSpec } from './model-spec.js';

/** Rules that were tried and not chosen; docs/decisions/0003-credit-feedback.md says why. */

type MakeAlgorithm = FlowSpec['makeAlgorithm'];

/** An algorithm of the registry with some of its parameters changed. */
export function registered(name: string, parameters: Record<string, number> = {}): MakeAlgorithm {
  return (link) => creditAlgorithm(name, link, parameters);
}

export interface Variant {
  /** What a loss is taken off: the rate at which the credits of the sample were sent (as in `steady`), or the rate in force. */
  anchor?: 'sent' | 'in-force';
  /** When the rate leans towards the maximum: at every update (as in `steady`), or only at an increase. */
  lean?: 'always' | 'at-increase';
  /** How w grows: by a step (as in `steady`), or halfway to its maximum. */
  growth?: 'step' | 'halfway';
}

/** `steady` at its defaults with one of its departures from the paper taken back. */
export class VariantRule implements CreditAlgorithm {
  readonly name = 'variant';
  rateBps: number;
  private readonly link: CreditLink;
  private readonly variant: Variant;
  private w = 0.5;
  private wasIncreasing = false;

  constructor(link: CreditLink, variant: Variant) {
    this.link = link;
    this.variant = variant;
    this.rateBps = link.maxRateBps / 16;
  }

  update(sample: CreditSample): void {
    const { maxRateBps } = this.link;
    const target = 0.1 * (1 - this.rateBps / maxRateBps);
    const isIncreasing = sample.dropped <= target * sample.known;
    const base = isIncreasing ? this.increase() : this.decrease(sample, target);
    const lean = isIncreasing || this.variant.lean !== 'at-increase' ? this.w : 0;
    const rate = (1 - lean) * base + lean * maxRateBps;
    this.wasIncreasing = isIncreasing;
    this.rateBps = Math.min(maxRateBps, Math.max(rate, floorRateBps(this.link, this.updatePeriodNs(sample.rttNs))));
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, 32);
  }

  state(): Record<string, number> {
    return { w: this.w };
  }

  private increase(): number {
    if (this.wasIncreasing)
      this.w = this.variant.growth === 'halfway' ? (this.w + 0.5) / 2 : Math.min(this.w + 0.02, 0.5);
    return this.rateBps;
  }

  private decrease(sample: CreditSample, target: number): number {
    this.w = Math.max(this.w * 0.8, 0.01);
    const loss = (sample.dropped + 20 * target) / (sample.known + 20);
    const isAnchored = this.variant.anchor !== 'in-force' && sample.spanNs > 0;
    const sentBps = isAnchored ? (sample.known * this.link.bytesPerCredit * 8e9) / sample.spanNs : this.rateBps;
    return Math.min(this.rateBps, sentBps * (1 - loss) * (1 + target));
  }
}
