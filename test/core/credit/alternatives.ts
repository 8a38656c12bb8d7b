import type { CreditAlgorithm, CreditLink, CreditSample } from '../../../src/core/credit/algorithm.js';
import { floorRateBps, updatePeriodNs } from '../../../src/core/credit/period.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import type { FlowSpec } from './model-spec.js';

/** Rules that were tried and not chosen; docs/decisions/0008-steady.md says why. */

type MakeAlgorithm = FlowSpec['makeAlgorithm'];

/** An algorithm of the registry with some of its parameters changed. */
export function registered(name: string, parameters: Record<string, number> = {}): MakeAlgorithm {
  return (link) => creditAlgorithm(name, link, parameters);
}

/**
 * The law that `steady` began as. It has a target loss, which shrinks as the rate grows; a sample is mixed with 20 credits lost at the target; and a flow
 * gains w at every second update in a row without a loss above the target, at the top too.
 */
export class TargetLossRule implements CreditAlgorithm {
  readonly name = 'target loss';
  rateBps: number;
  private readonly link: CreditLink;
  private readonly targetLoss: number;
  private w = 0.5;
  private wasIncreasing = false;

  constructor(link: CreditLink, { initialRate = 1 / 16, targetLoss = 0.1 } = {}) {
    this.link = link;
    this.targetLoss = targetLoss;
    this.rateBps = initialRate * link.maxRateBps;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, 32);
  }

  update(sample: CreditSample): void {
    const { maxRateBps } = this.link;
    const target = this.targetLoss * (1 - this.rateBps / maxRateBps);
    const isIncreasing = sample.dropped <= target * sample.known;
    if (isIncreasing && this.wasIncreasing) this.w = Math.min(this.w + 0.02, 0.5);
    const baseBps = isIncreasing ? this.rateBps : this.decreased(sample, target);
    const rate = (1 - this.w) * baseBps + this.w * maxRateBps;
    this.wasIncreasing = isIncreasing;
    const floorBps = floorRateBps(this.link, this.updatePeriodNs(sample.rttNs));
    this.rateBps = Math.min(maxRateBps, Math.max(rate, floorBps));
  }

  state(): Record<string, number> {
    return { w: this.w };
  }

  private decreased({ known, dropped, spanNs }: CreditSample, target: number): number {
    this.w = Math.max(this.w * 0.8, 0.01);
    const loss = (dropped + 20 * target) / (known + 20);
    const sentBps = spanNs > 0 ? (known * this.link.bytesPerCredit * 8e9) / spanNs : this.rateBps;
    return Math.min(this.rateBps, sentBps * (1 - loss) * (1 + target));
  }
}
