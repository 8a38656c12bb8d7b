import type { NumberRecord } from '../../base/record-arena.js';
import { parameter } from '../../base/setting.js';
import {
  type CreditAlgorithm,
  type CreditAlgorithmDefinition,
  type CreditLink,
  type CreditParameter,
  type CreditParameters,
  type CreditSample,
  chosenBps,
  floorRateBps,
  UNHEARD_CREDITS,
  unheardBps,
  updatePeriodNs,
} from './algorithm.js';
import { INITIAL_RATE } from './expresspass.js';

const DECISION = 'docs/decisions/0020-explicit-rate.md';

const STEADY_PARAMETERS: readonly CreditParameter[] = [
  INITIAL_RATE,
  parameter('period_rtts', [0.25, 0.1, 4], 'RTTs', {
    meaning: 'length of an update period, where period_credits do not make it longer',
    source: `ours: ${DECISION} (1 in ExpressPass 2017)`,
  }),
  parameter('period_credits', [4, 1, 1000], 'credits at max rate', {
    meaning: 'shortest update period: the time of as many credits of the whole link',
    source: `ours: ${DECISION}`,
  }),
  { ...UNHEARD_CREDITS, source: `ours: ${DECISION}` },
  parameter('tolerated_loss', [0.4, 0, 0.9], '', {
    meaning:
      'part of the credits that a path without a queue may lose; more is congestion of a link that offers no rate',
    source: `ours: ${DECISION}; 10 % of all frames each way are 0.19`,
  }),
  parameter('queued_loss', [0.1, 0, 0.9], '', {
    meaning: 'the same for a path whose RTT shows a queue',
    source: `ours: ${DECISION}`,
  }),
  parameter('memory', [200, 1, 100_000], 'credits', {
    meaning: 'credits over which the loss is remembered',
    source: `ours: ${DECISION}; bursts of 8 frames at 10 % pass for less than tolerated_loss`,
  }),
  parameter('lean', [0.05, 0.001, 0.5], '', {
    meaning: 'part of the way to the maximum rate that a limit found by loss climbs in an RTT',
    source: `ours: ${DECISION}`,
  }),
];

/** No hop of the path has limited the flow yet. PROTOCOL §9.7 */
const NO_HOP = 15;

/** A path has a queue when its smoothed RTT exceeds the shortest by this part of it and by this many variations. Ours; RFC 6298 allows for 4 variations. */
const QUEUED_PART = 1;
const QUEUED_VARIATIONS = 8;

/** Its record. The loss is that of credits which brought data lately, remembered over `memory` credits. */
const Place = { rateBps: 0, offeredBps: 1, limitBps: 2, loss: 3 } as const;
const STEADY_NUMBERS = 4;

/** Lowest rate of such a flow, as a part of the maximum. Ours: it still has to send the credit whose echo it waits for. */
const UNHEARD_PART = 1 / 100;
/** A flow with a limit sends at least one credit in this many update periods. Ours. */
const FLOOR_PERIODS = 4;

/**
 * Our rate law. Ports count the flows that pass and offer each its max-min share of their link (switch/explicit-rate.ts, PROTOCOL §9.7). A flow takes the least
 * offer of its path, whatever is lost. Four times an RTT, with the fate of the `known` credits that were sent at the rate `sent`:
 *
 *     offered   = mean explicit rate that the data of the period brought, times the flow's weight
 *     loss      = loss + (dropped / known - loss) * known / (known + memory)          but for a period without data
 *     tolerated = queued ? queued_loss : tolerated_loss
 *     if loss > tolerated:  limit = min(rate, sent * (1 - loss) / (1 - tolerated))
 *     limit     = limit + lean * (max - limit)                                        an RTT
 *     rate      = min(offered, limit, max)
 *
 * The limit is for links whose switches offer nothing: what these do not carry is lost, mostly with a queue before them. It is infinite until more is lost than
 * is tolerated, and again once it has reached what is offered. docs/decisions/0020-explicit-rate.md
 */
class Steady implements CreditAlgorithm {
  hop = NO_HOP;
  readonly weight: number;
  private readonly link: CreditLink;
  private readonly parameters: CreditParameters;
  private readonly numbers: Float64Array;
  private readonly at: number;

  constructor(link: CreditLink, parameters: CreditParameters, weight: number, { numbers, at }: NumberRecord) {
    this.link = link;
    this.parameters = parameters;
    this.weight = weight;
    this.numbers = numbers;
    this.at = at;
    numbers[at + Place.rateBps] = parameters.initial_rate * link.maxRateBps;
    numbers[at + Place.offeredBps] = Number.POSITIVE_INFINITY;
    numbers[at + Place.limitBps] = Number.POSITIVE_INFINITY;
  }

  get rateBps(): number {
    return this.numbers[this.at + Place.rateBps];
  }

  get name(): string {
    return steady.name;
  }

  unheardRateBps(sent: number): number {
    return unheardBps(this.rateBps, UNHEARD_PART * this.link.maxRateBps, this.parameters, sent);
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, this.parameters.period_rtts * rttNs, this.parameters.period_credits);
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    if (sample.explicitBps > 0) {
      this.numbers[this.at + Place.offeredBps] = this.weight * sample.explicitBps;
      this.hop = sample.hop;
    }
    this.findLimit(sample);
    const { maxRateBps } = this.link;
    const lowestBps = floorRateBps(
      this.link,
      FLOOR_PERIODS * Math.max(sample.rttNs, this.updatePeriodNs(sample.rttNs)),
    );
    const { numbers, at } = this;
    const limitedBps = Math.max(numbers[at + Place.limitBps], lowestBps);
    numbers[at + Place.rateBps] = Math.min(numbers[at + Place.offeredBps], limitedBps, maxRateBps);
  }

  state(): Record<string, number> {
    const { numbers, at, hop } = this;
    const [offered, limit] = [numbers[at + Place.offeredBps], numbers[at + Place.limitBps]];
    return { cur_rate: this.rateBps, offered, limit, hop };
  }

  private findLimit(sample: CreditSample): void {
    const { tolerated_loss: byItself, queued_loss: queued, memory, lean } = this.parameters;
    const { known, dropped, used, elapsedNs, rttNs } = sample;
    const { numbers, at, rateBps } = this;
    let loss = numbers[at + Place.loss];
    // What brings nothing at all is an outage, or the flood of a thousand flows that start, and no share.
    if (used > 0) loss += ((dropped / known - loss) * known) / (known + memory);
    numbers[at + Place.loss] = loss;
    const tolerated = isQueued(sample) ? queued : byItself;
    let limitBps = numbers[at + Place.limitBps];
    if (loss > tolerated)
      limitBps = Math.min(rateBps, (chosenBps(this.link, sample, rateBps) * (1 - loss)) / (1 - tolerated));
    if (limitBps === Number.POSITIVE_INFINITY) return;
    const { maxRateBps } = this.link;
    limitBps += lean * Math.min(1, elapsedNs / rttNs) * Math.max(0, maxRateBps - limitBps);
    const hasClimbed = limitBps >= Math.min(numbers[at + Place.offeredBps], maxRateBps);
    numbers[at + Place.limitBps] = hasClimbed ? Number.POSITIVE_INFINITY : limitBps;
  }
}

/** Data or credits wait in a queue of the path. */
function isQueued({ rttNs, minRttNs, rttVariationNs }: CreditSample): boolean {
  return rttNs - minRttNs > Math.max(QUEUED_PART * minRttNs, QUEUED_VARIATIONS * rttVariationNs);
}

export const steady: CreditAlgorithmDefinition = {
  name: 'steady',
  summary: 'our own law: the max-min share that the ports of the path offer, whatever the path loses (default)',
  parameters: STEADY_PARAMETERS,
  takesWeights: true,
  create: (link, parameters, records, weight) => new Steady(link, parameters, weight, records.take(STEADY_NUMBERS)),
};
