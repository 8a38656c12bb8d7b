import { parameter } from '../../base/setting.js';
import { SECOND_NS } from '../../base/time.js';
import {
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';
import { INITIAL_WINDOW, MAX_WINDOW, MIN_WINDOW, TcpWindow } from './slow-start.js';

/** The most that the target is above the window. RFC 9438 section 4.2 */
const TARGET_CEILING = 1.5;

/**
 * CUBIC, RFC 9438, with fast convergence (4.7): between two reductions the window follows a cubic of the time since, flat at the size of the last
 * reduction, and never grows more slowly than Reno would (4.3). A mark counts as a loss (RFC 3168 section 6.1.2), once for a round trip.
 */
class Cubic implements WindowAlgorithm {
  readonly name = 'cubic';
  readonly pacingGapNs = 0;
  private readonly window: TcpWindow;
  private readonly c: number;
  private readonly beta: number;
  private readonly heedsMarks: boolean;
  /** Window before the latest reduction: W_max. */
  private maxFrames = 0;
  /** Where the epoch began, and after how long its cubic is back at W_max; -1: no epoch runs. */
  private epochNs = -1;
  private kSeconds = 0;
  /** What Reno would have: W_est. */
  private renoFrames = 0;
  /** Until the frame with this number is acknowledged the window has been reduced already. */
  private reducedTo = 0;

  constructor(parameters: WindowParameters) {
    this.window = new TcpWindow(parameters);
    this.c = parameters.c;
    this.beta = parameters.beta;
    this.heedsMarks = parameters.heeds_marks !== 0;
  }

  get windowFrames(): number {
    return this.window.frames;
  }

  update(sample: WindowSample): void {
    if (sample.event === WindowEvent.acknowledged) this.onAcknowledged(sample);
    else if (sample.event === WindowEvent.recovery) this.reduce(sample);
    else this.onTimeout(sample);
  }

  state(): Record<string, number> {
    return { cwnd: this.window.frames, ssthresh: this.window.threshold, w_max: this.maxFrames, k: this.kSeconds };
  }

  private onAcknowledged(sample: WindowSample): void {
    if (this.heedsMarks && sample.markedFrames > 0) this.reduce(sample);
    else if (sample.ackedNumber >= this.reducedTo && sample.isWindowLimited) {
      const left = this.window.slowStart(sample.ackedFrames);
      if (left > 0) this.avoidCongestion(left, sample);
    }
  }

  /** RFC 9438 sections 4.2 to 4.5. */
  private avoidCongestion(ackedFrames: number, { nowNs, smoothedRttNs }: WindowSample): void {
    if (this.epochNs < 0) this.beginEpoch(nowNs);
    const { window } = this;
    const seconds = (nowNs - this.epochNs) / SECOND_NS;
    const atNext = this.cubicAt(seconds + smoothedRttNs / SECOND_NS);
    const target = Math.min(Math.max(atNext, window.frames), TARGET_CEILING * window.frames);
    // alpha_cubic, until W_est is back at the window of the reduction.
    const renoGain = this.renoFrames < this.maxFrames ? (3 * (1 - this.beta)) / (1 + this.beta) : 1;
    this.renoFrames += (renoGain * ackedFrames) / window.frames;
    if (this.cubicAt(seconds) < this.renoFrames) window.set(Math.max(window.frames, this.renoFrames));
    else window.set(window.frames + (ackedFrames * (target - window.frames)) / window.frames);
  }

  private beginEpoch(nowNs: number): void {
    const { frames } = this.window;
    this.epochNs = nowNs;
    this.renoFrames = frames;
    if (this.maxFrames < frames) this.maxFrames = frames;
    this.kSeconds = Math.cbrt((this.maxFrames - frames) / this.c);
  }

  private cubicAt(seconds: number): number {
    return this.c * (seconds - this.kSeconds) ** 3 + this.maxFrames;
  }

  private reduce(sample: WindowSample): void {
    if (sample.ackedNumber < this.reducedTo) return;
    this.reducedTo = sample.sentFrames;
    this.rememberMax();
    this.window.reduce(this.beta);
  }

  /** RFC 9438 section 4.8. */
  private onTimeout(sample: WindowSample): void {
    this.rememberMax();
    this.window.collapse(sample, this.beta);
  }

  /** Fast convergence, RFC 9438 section 4.7: who is reduced below what he had before makes room. */
  private rememberMax(): void {
    const { frames } = this.window;
    this.maxFrames = frames < this.maxFrames ? (frames * (1 + this.beta)) / 2 : frames;
    this.epochNs = -1;
  }
}

export const cubic: WindowAlgorithmDefinition = {
  name: 'cubic',
  summary: 'CUBIC, RFC 9438',
  parameters: [
    parameter('c', [0.4, 0.001, 1_000_000], 'frames per cubic second', {
      meaning: 'how steep the cubic is',
      source: 'RFC 9438 section 5.1',
    }),
    parameter('beta', [0.7, 0.1, 0.99], '', {
      meaning: 'what a reduction leaves of the window',
      source: 'RFC 9438 section 4.6',
    }),
    parameter('heeds_marks', [1, 0, 1], '0 or 1', {
      meaning: 'whether a mark counts as a loss; 0 for a sender without ECN',
      source: 'RFC 3168 section 6.1.2',
    }),
    INITIAL_WINDOW,
    MIN_WINDOW,
    MAX_WINDOW,
  ],
  create: (_link, parameters) => new Cubic(parameters),
};
