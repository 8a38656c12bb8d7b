import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { INITIAL_RATE, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';
import { floorRateBps } from './period.js';

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017) taken literally, for comparison with `expresspass`, which says what goes wrong with it.
 * The listing says nothing of a lowest rate, and a flow that lost every credit of a period would be silent for ever: here it keeps one credit an
 * update period. The phase before the first update counts as not increasing.
 */
class ExpressPassLiteral implements CreditAlgorithm {
  readonly name = 'expresspass-literal';
  rateBps: number;

  private readonly link: CreditLink;
  private readonly wMin: number;
  private readonly wMax: number;
  private readonly targetLoss: number;
  private w: number;
  private wasIncreasing = false;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.wMin = parameters.w_min;
    this.wMax = parameters.w_max;
    this.targetLoss = parameters.target_loss;
    this.w = Math.min(parameters.w_init, this.wMax);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    const loss = sample.dropped / sample.known;
    if (loss <= this.targetLoss) this.increase();
    else this.decrease(loss);
    this.rateBps = Math.max(this.rateBps, floorRateBps(this.link, sample.rttNs));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, increasing: Number(this.wasIncreasing) };
  }

  private increase(): void {
    if (this.wasIncreasing) this.w = (this.w + this.wMax) / 2;
    this.rateBps = (1 - this.w) * this.rateBps + this.w * this.link.maxRateBps * (1 + this.targetLoss);
    this.wasIncreasing = true;
  }

  private decrease(loss: number): void {
    this.rateBps *= (1 - loss) * (1 + this.targetLoss);
    this.w = Math.max(this.w / 2, this.wMin);
    this.wasIncreasing = false;
  }
}

export const expresspassLiteral: CreditAlgorithmDefinition = {
  name: 'expresspass-literal',
  summary: 'Algorithm 1 of ExpressPass 2017 taken literally, for comparison',
  parameters: [INITIAL_RATE, W_INIT, W_MIN, W_MAX, TARGET_LOSS],
  create: (link, parameters) => new ExpressPassLiteral(link, parameters),
};
