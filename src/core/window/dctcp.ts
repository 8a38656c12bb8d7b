import { parameter } from '../../base/setting.js';
import { constant } from '../../base/value-kind.js';
import {
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';
import { INITIAL_WINDOW, MAX_WINDOW, MIN_WINDOW, TcpWindow } from './slow-start.js';

/** What a loss leaves of the window, and a timeout of the threshold: RFC 8257 section 3.5, as RFC 5681. */
const LOSS_FACTOR = 0.5;

/**
 * DCTCP, RFC 8257: alpha follows the share of marked frames, a round trip at a time, and the first mark of a round trip takes alpha / 2 of the
 * window. By frames instead of bytes, since every frame is acknowledged and says itself whether it was marked (section 3.2 is for delayed
 * acknowledgements).
 */
export class Dctcp implements WindowAlgorithm {
  readonly name = 'dctcp';
  readonly window: TcpWindow;
  private readonly g: number;
  private alpha: number;
  private rttNs = 0;
  private ackedFrames = 0;
  private markedFrames = 0;
  /** Number of the frame whose acknowledgement ends the observation of a window: DCTCP.WindowEnd. */
  private observedTo = 0;
  /** Until the frame with this number is acknowledged the window has been reduced already, and does not grow either: RFC 3168 section 6.1.2. */
  private reducedTo = 0;

  constructor(parameters: WindowParameters) {
    this.window = new TcpWindow(parameters);
    this.g = parameters.g;
    this.alpha = parameters.initial_alpha;
  }

  get windowFrames(): number {
    return this.window.frames;
  }

  /** Of a window below one frame: Swift, section 3.4. RFC 3168 section 6.1.2 has such a sender wait for its retransmission timer, which is a longer gap. */
  get pacingGapNs(): number {
    const { frames } = this.window;
    return frames < 1 ? this.rttNs / frames : 0;
  }

  update(sample: WindowSample): void {
    this.rttNs = sample.rttNs;
    if (sample.event === WindowEvent.acknowledged) this.onAcknowledged(sample);
    else if (sample.event === WindowEvent.recovery) this.onRecovery(sample);
    else this.window.collapse(sample, LOSS_FACTOR);
  }

  state(): Record<string, number> {
    return { cwnd: this.window.frames, ssthresh: this.window.threshold, alpha: this.alpha };
  }

  private onAcknowledged(sample: WindowSample): void {
    this.ackedFrames += sample.ackedFrames;
    this.markedFrames += sample.markedFrames;
    if (sample.ackedNumber >= this.observedTo) this.observe(sample);
    const isReduced = sample.ackedNumber < this.reducedTo;
    if (sample.markedFrames > 0 && !isReduced) this.reduce(1 - this.alpha / 2, sample);
    else if (!isReduced && sample.isWindowLimited) {
      const left = this.window.slowStart(sample.ackedFrames);
      if (left > 0) this.window.growByOne(left);
    }
  }

  /** RFC 8257 section 3.3, steps 1 to 8. */
  private observe({ sentFrames }: WindowSample): void {
    const share = Math.min(1, this.markedFrames / this.ackedFrames);
    this.alpha = (1 - this.g) * this.alpha + this.g * share;
    this.ackedFrames = this.markedFrames = 0;
    this.observedTo = sentFrames;
  }

  private onRecovery(sample: WindowSample): void {
    if (sample.ackedNumber >= this.reducedTo) this.reduce(LOSS_FACTOR, sample);
  }

  private reduce(part: number, { sentFrames }: WindowSample): void {
    this.window.reduce(part);
    this.reducedTo = sentFrames;
  }
}

export const dctcp: WindowAlgorithmDefinition = {
  name: 'dctcp',
  summary: 'DCTCP, RFC 8257: the window falls by the share of marked frames',
  parameters: [
    parameter('g', [1 / 16, 0.0001, 1], '', {
      meaning: 'weight of the latest window in alpha',
      source: 'RFC 8257 section 4.2; 0.01976 at 100 Gbit/s in ExpressPass 2017',
    }),
    parameter('initial_alpha', [1, 0, 1], '', {
      meaning: 'alpha of a new flow',
      source: 'RFC 8257 section 4.2',
    }),
    INITIAL_WINDOW,
    { ...MIN_WINDOW, kind: constant(0.01, 10, 'frames') },
    MAX_WINDOW,
  ],
  create: (_link, parameters) => new Dctcp(parameters),
};
