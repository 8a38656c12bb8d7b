import type { CreditAlgorithm, CreditLink, CreditSample } from '../../../src/core/credit/algorithm.js';
import { floorRateBps } from '../../../src/core/credit/period.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import type { FlowSpec } from './model-spec.js';

/** Rules that were tried and not chosen; docs/decisions/0003-credit-feedback.md says why. */

type MakeAlgorithm = FlowSpec['makeAlgorithm'];

/** An algorithm of the registry with some of its parameters changed. */
export function registered(name: string, parameters: Record<string, number> = {}): MakeAlgorithm {
  return (link) => creditAlgorithm(name, link, parameters);
}

/**
 * What the public ns-2 code of the authors of ExpressPass does, from which the 2017 paper's listing differs. With this rule the model gives the figures
 * that were measured of that code, which is what makes the model believable.
 */
export class AuthorsRule implements CreditAlgorithm {
  readonly name = 'authors';
  rateBps: number;
  private readonly link: CreditLink;
  private w = 0.5;
  private wasIncreasing = false;
  private lastNs = 0;

  constructor(link: CreditLink) {
    this.link = link;
    this.rateBps = 0.5 * link.maxRateBps;
  }

  update(sample: CreditSample): void {
    const { maxRateBps, bytesPerCredit } = this.link;
    const target = 0.125 * (1 - this.rateBps / maxRateBps);
    const elapsedNs = this.lastNs === 0 ? sample.rttNs : sample.nowNs - this.lastNs;
    this.lastNs = sample.nowNs;
    const isIncreasing = sample.dropped <= target * sample.known;
    if (isIncreasing) {
      if (this.wasIncreasing) this.w = Math.min(this.w + 0.05, 0.5);
      this.rateBps = this.w * maxRateBps + (1 - this.w) * this.rateBps;
    } else {
      const deliveredBps = ((sample.known - sample.dropped) * bytesPerCredit * 8e9) / elapsedNs;
      this.rateBps = Math.min(this.rateBps, deliveredBps * (1 + target));
      this.w = Math.max(this.w / 2, 0.01);
    }
    this.wasIncreasing = isIncreasing;
    this.rateBps = Math.min(maxRateBps, Math.max(this.rateBps, floorRateBps(this.link, sample.rttNs)));
  }

  state(): Record<string, number> {
    return { w: this.w };
  }
}

export interface Variant {
  /** What a loss is taken off: the rate at which the credits of the sample were sent (as in `expresspass`), or the rate in force. */
  anchor?: 'sent' | 'in-force';
  /** When the rate leans towards the maximum: at every update (as in `expresspass`), or only at an increase. */
  lean?: 'always' | 'at-increase';
  /** How w grows: by a step (as in `expresspass`), or halfway to its maximum. */
  growth?: 'step' | 'halfway';
}

/** `expresspass` at its defaults with one of its departures from the paper taken back. */
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
    this.rateBps = Math.min(maxRateBps, Math.max(rate, floorRateBps(this.link, sample.rttNs)));
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
