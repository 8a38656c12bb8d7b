import { parameter } from '../../base/setting.js';
import { transmissionNs } from '../../base/time.js';
import {
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowLink,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';

/** The paper has no losses; ours: half the rate for one, and for a timeout. */
const LOSS_FACTOR = 0.5;
/** A rate has no window: this many RTTs' worth may be out, so that a rate that is too high does not fill the receiver's window before it is seen (ours). */
const WINDOW_RTTS = 2;
const LEAST_WINDOW_FRAMES = 2;
/** What the thresholds are counted in: the paper's are times at 10 Gbit/s, which are bytes on any link, of whatever frames. */
const PAPER_FRAME_BYTES = 1_538;
/** Thresholds are at least so many of the least RTT, on paths that are longer than those of the paper (ours). */
const LOW_RTTS = 1.25;
const HIGH_RTTS = 5;
/** Both hosts of a path may be late, which is no trend: gradients are counted in RTTs that have it in them (ours). */
const LATE_HOSTS = 2;
/** What `law` may be. */
const Law = { byLateness: 0, paper: 1, patched: 2 } as const;
/** The weight of a gradient grows from 0 to 1 between minus and plus a quarter, so a flat RTT has half (Zhu and others, Algorithm 2). */
const WEIGHT_SLOPE = 2;
const FLAT_WEIGHT = 0.5;
/** Steps that one segment may take from a rate for which they are more than the weight of an error is (ours). */
const MOST_STEPS_DOWN = 2;

/**
 * TIMELY (Mittal and others, SIGCOMM 2015), Algorithm 1: a rate that follows the gradient of the RTT between two thresholds, once for each segment
 * that was acknowledged. Frames are paced one by one, where the paper's network cards send a segment as one burst. The thresholds and the step are
 * the paper's at 10 Gbit/s, as frames and a part of the link, so that they mean the same on another link.
 *
 * That law has no fixed point, and between processes it takes lateness for a queue. Where hosts are late it is the patched one: Zhu and others, "ECN
 * or Delay" (CoNEXT 2016), Algorithm 2, with what decision 0011 adds.
 */
class Timely implements WindowAlgorithm {
  readonly name = 'timely';
  private readonly link: WindowLink;
  private readonly parameters: WindowParameters;
  private readonly isPatched: boolean;
  private rateBps: number;
  private ackedBytes = 0;
  /** The least RTT of the frames of the segment under way, without what the hosts are known to have been late by. */
  private segmentRttNs = Number.POSITIVE_INFINITY;
  private previousRttNs = 0;
  private smoothedRttNs = 0;
  private differenceNs = 0;
  /** Updates in a row at which the RTT did not grow. */
  private calm = 0;

  constructor(link: WindowLink, parameters: WindowParameters) {
    this.link = link;
    this.parameters = parameters;
    this.rateBps = parameters.initial_rate * link.maxRateBps;
    const { law } = parameters;
    this.isPatched = law === Law.byLateness ? link.latenessNs > 0 : law === Law.patched;
  }

  get windowFrames(): number {
    return Math.max(LEAST_WINDOW_FRAMES, (WINDOW_RTTS * this.smoothedRttNs) / this.pacingGapNs);
  }

  get pacingGapNs(): number {
    return transmissionNs(this.link.frameWireBytes, this.rateBps);
  }

  update(sample: WindowSample): void {
    this.smoothedRttNs = sample.smoothedRttNs;
    if (sample.event === WindowEvent.acknowledged) this.onAcknowledged(sample);
    else this.setRate(this.rateBps * LOSS_FACTOR);
  }

  state(): Record<string, number> {
    return { rate: this.rateBps, gradient: this.differenceNs, calm: this.calm };
  }

  /** What the thresholds are counted in. */
  private get frameNs(): number {
    return transmissionNs(PAPER_FRAME_BYTES, this.link.maxRateBps);
  }

  private get stepBps(): number {
    return stepBps(this.link.maxRateBps, this.parameters.delta);
  }

  private onAcknowledged(sample: WindowSample): void {
    this.ackedBytes += sample.ackedBytes;
    const pathNs = Math.max(0, sample.rttNs - sample.remoteQueuingNs - sample.localQueuingNs);
    this.segmentRttNs = Math.min(this.segmentRttNs, pathNs);
    if (this.ackedBytes < this.parameters.segment_bytes) return;
    const rttNs = this.isPatched ? this.segmentRttNs : sample.rttNs;
    this.ackedBytes = 0;
    this.segmentRttNs = Number.POSITIVE_INFINITY;
    const gradient = this.gradientOf(rttNs, sample);
    if (this.isPatched) this.followPatched(rttNs, sample, gradient);
    else this.follow(sample, gradient);
  }

  private gradientOf(rttNs: number, { minRttNs }: WindowSample): number {
    const { ewma, patched_ewma: patchedEwma } = this.parameters;
    const newNs = this.previousRttNs === 0 ? 0 : rttNs - this.previousRttNs;
    this.previousRttNs = rttNs;
    this.differenceNs += (this.isPatched ? patchedEwma : ewma) * (newNs - this.differenceNs);
    return this.differenceNs / Math.max(1, minRttNs + LATE_HOSTS * this.link.latenessNs);
  }

  /** RTT below which the rate grows whatever the gradient. */
  private lowNs(minRttNs: number): number {
    return Math.max(this.parameters.t_low * this.frameNs, LOW_RTTS * minRttNs + this.link.latenessNs);
  }

  private follow({ rttNs, minRttNs, isWindowLimited }: WindowSample, gradient: number): void {
    const { t_high: high, beta, hai_after: haiAfter, hai_steps: haiSteps } = this.parameters;
    const highNs = Math.max(high * this.frameNs, HIGH_RTTS * (minRttNs + this.link.latenessNs));
    const stepBps = isWindowLimited ? this.stepBps : 0;
    if (rttNs < this.lowNs(minRttNs)) this.setRate(this.rateBps + stepBps);
    else if (rttNs > highNs) this.setRate(this.rateBps * (1 - beta * (1 - highNs / rttNs)));
    else if (gradient <= 0) {
      this.calm++;
      this.setRate(this.rateBps + (this.calm >= haiAfter ? haiSteps : 1) * stepBps);
      return;
    } else this.setRate(this.rateBps * Math.max(0, 1 - beta * gradient));
    this.calm = 0;
  }

  /**
   * The gradient weighs between a step up and a decrease by how far the RTT is above the lower threshold, so that there is one queue and one share at
   * which all rates stay. No upper threshold: what one segment takes is bounded instead, since one that a process kept for 100 ms is twenty times the
   * threshold.
   */
  private followPatched(rttNs: number, { minRttNs, isWindowLimited }: WindowSample, gradient: number): void {
    const stepBps = isWindowLimited ? this.stepBps : 0;
    const lowNs = this.lowNs(minRttNs);
    if (rttNs < lowNs) {
      this.setRate(this.rateBps + stepBps);
      return;
    }
    const weight = Math.min(1, Math.max(0, WEIGHT_SLOPE * gradient + FLAT_WEIGHT));
    const betaBps = ((this.parameters.patched_beta * this.stepBps) / this.link.maxRateBps) * this.rateBps;
    const downBps = Math.min(betaBps * (rttNs / lowNs - 1), Math.max(betaBps, MOST_STEPS_DOWN * this.stepBps));
    this.setRate(this.rateBps + (1 - weight) * stepBps - weight * downBps);
  }

  private setRate(bps: number): void {
    const { maxRateBps } = this.link;
    this.rateBps = Math.min(maxRateBps, Math.max(bps, this.parameters.min_rate * maxRateBps));
  }
}

/** The paper's step, at 10 Gbit/s. */
const PAPER_STEP_BPS = 10e6;
/**
 * Shares of the link between which that stays: its own of 10 Gbit/s, and one with which a flow doubles in some tenths of a second at 100 Mbit/s
 * (ours; with 0.1 % it needs seconds).
 */
const LEAST_STEP = 0.001;
const MOST_STEP = 0.01;

function stepBps(maxRateBps: number, delta: number): number {
  if (delta > 0) return delta * maxRateBps;
  return Math.min(Math.max(PAPER_STEP_BPS, LEAST_STEP * maxRateBps), MOST_STEP * maxRateBps);
}

const SOURCE = 'TIMELY, SIGCOMM 2015';

export const timely: WindowAlgorithmDefinition = {
  name: 'timely',
  summary: 'TIMELY: a rate that follows the gradient of the RTT',
  parameters: [
    parameter('law', [Law.byLateness, 0, 2], 'choice', {
      meaning: "1: the paper's; 2: patched; 0: patched where hosts are late, as processes are",
      source: 'ours: decision 0011',
    }),
    parameter('delta', [0, 0, 0.5], 'share of max rate', {
      meaning: 'step of an increase; 0: 10 Mbit/s, but 0.1 % of max rate at least and 1 % at most',
      source: `${SOURCE}, section 6: 10 Mbit/s at 10 Gbit/s`,
    }),
    parameter('beta', [0.8, 0, 1], '', { meaning: 'weight of a decrease', source: `${SOURCE}, section 6` }),
    parameter('ewma', [0.875, 0.001, 1], '', {
      meaning: 'weight of the latest difference of two RTTs: alpha',
      source: `${SOURCE}, section 6`,
    }),
    parameter('t_low', [40, 0, 100_000], 'frames of 1538 B at max rate', {
      meaning: 'RTT below which the rate grows whatever the gradient',
      source: `${SOURCE}, section 6: 50 us at 10 Gbit/s`,
    }),
    parameter('t_high', [400, 0, 1_000_000], 'frames of 1538 B at max rate', {
      meaning: 'RTT above which the rate falls whatever the gradient',
      source: `${SOURCE}, section 6: 500 us at 10 Gbit/s`,
    }),
    parameter('hai_after', [5, 1, 100], 'updates', {
      meaning: 'updates without a growing RTT after which steps are larger',
      source: `${SOURCE}, section 4.3`,
    }),
    parameter('hai_steps', [5, 1, 100], 'steps', { meaning: 'of such an increase', source: `${SOURCE}, section 4.3` }),
    parameter('segment_bytes', [16_384, 1, 1_048_576], 'bytes', {
      meaning: 'acknowledged bytes for each update',
      source: `${SOURCE}, section 5: 16 to 64 KB`,
    }),
    parameter('patched_beta', [8, 0, 1_000], 'delta', {
      meaning: 'weight of a decrease by the patched law',
      source: 'Zhu and others, CoNEXT 2016: 0.008 beside steps of 0.1 %',
    }),
    parameter('patched_ewma', [0.05, 0.001, 1], '', {
      meaning: 'weight of the latest difference of two RTTs by the patched law',
      source: "ours: with the paper's 0.875 a single late segment decides",
    }),
    parameter('initial_rate', [0.1, 0.0001, 1], 'share of max rate', { meaning: 'rate of a new flow', source: 'ours' }),
    parameter('min_rate', [0.01, 0.000001, 1], 'share of max rate', {
      meaning: 'lowest rate',
      source: 'ours: a segment at it takes as long as a hundred at the maximum, and the rate only grows with segments',
    }),
  ],
  create: (link, parameters) => new Timely(link, parameters),
};
