import { RecentMinimum } from '../../base/recent-minimum.js';
import { parameter } from '../../base/setting.js';
import { transmissionNs } from '../../base/time.js';
import { constant } from '../../base/value-kind.js';
import {
  CLOCK_PERIOD_NS,
  moduloPeriod,
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowLink,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';
import { INITIAL_WINDOW, MAX_WINDOW, MIN_WINDOW, TcpWindow } from './slow-start.js';

/** What a loss leaves of the window, and a timeout of the threshold: RFC 5681, as in the other algorithms. */
const LOSS_FACTOR = 0.5;
/** A window that doubles in a round trip leaves within half of one. */
const SLOW_START_GAIN = 2;

/**
 * How long a flow's frames queue on the way to their receiver: what a full frame took, less the least that one took in the last 5 to 10 s. Time in the hosts
 * is left out. The two clocks that tell it may drift, so it is at most what the round trip took beyond its least.
 */
class QueueingDelay {
  private readonly leastForward = new RecentMinimum();
  private readonly leastRtt = new RecentMinimum();
  /** Payload of a full frame, and of the longest since the last mean. A shorter one takes less on each link: a base that no full frame reaches. */
  private fullBytes = 0;
  private longestBytes = 0;
  /** The last frame that was looked at. */
  private number = -1;
  private sumNs = 0;
  private count = 0;

  /** The round trip of a full frame without queues; Infinity before the first. */
  get baseRttNs(): number {
    return this.leastRtt.value;
  }

  /** `counts`: for the mean; the base follows from each frame. */
  sample(sample: WindowSample, counts: boolean): void {
    if (sample.ackedNumber <= this.number) return;
    this.number = sample.ackedNumber;
    const payloadBytes = sample.ackedBytes / sample.ackedFrames;
    this.longestBytes = Math.max(this.longestBytes, payloadBytes);
    if (payloadBytes < this.fullBytes) return;
    if (payloadBytes > this.fullBytes) this.measureAnew(payloadBytes);
    const queueingNs = this.queueingNs(sample);
    if (!counts) return;
    this.sumNs += queueingNs;
    this.count++;
  }

  /** The mean since the last call; 0 without a frame that told it. A flow that fills its window with shorter frames than before has a shorter path MTU. */
  takeMeanNs(isLimited: boolean): number {
    const meanNs = this.count === 0 ? 0 : this.sumNs / this.count;
    if (this.count === 0 && isLimited) this.measureAnew(this.longestBytes);
    this.sumNs = this.count = this.longestBytes = 0;
    return meanNs;
  }

  private measureAnew(payloadBytes: number): void {
    this.fullBytes = payloadBytes;
    this.leastForward.reset();
    this.leastRtt.reset();
    this.sumNs = this.count = 0;
  }

  private queueingNs({ rttNs, remoteQueuingNs, localQueuingNs, forwardNs, nowNs }: WindowSample): number {
    const pathNs = Math.max(0, rttNs - remoteQueuingNs - localQueuingNs);
    this.leastRtt.sample(pathNs, nowNs);
    const mostNs = pathNs - this.leastRtt.value;
    const baseNs = this.leastForward.value;
    if (baseNs === Number.POSITIVE_INFINITY) {
      this.leastForward.sample(forwardNs, nowNs);
      return 0;
    }
    const beyondNs = unwrap(moduloPeriod(forwardNs - baseNs), mostNs);
    this.leastForward.sample(baseNs + beyondNs, nowNs);
    return Math.max(0, Math.min(beyondNs, mostNs));
  }
}

/** The excess of a delay that is known modulo the clocks' period: as much as the RTT explains, or a new least below the old one. */
function unwrap(excessNs: number, mostNs: number): number {
  if (excessNs <= mostNs) return excessNs + CLOCK_PERIOD_NS * Math.floor((mostNs - excessNs) / CLOCK_PERIOD_NS);
  return excessNs > CLOCK_PERIOD_NS / 2 ? excessNs - CLOCK_PERIOD_NS : excessNs;
}

/**
 * DX (Lee and others, USENIX ATC 2015): once a round trip one frame more where nothing queued, else the window falls by just what drains the queue. From
 * memory of the paper, which was not at hand: W + 1 for Q = 0, else W (1 - Q / V) with V such that the next windows of all flows hold the path and no
 * queue. Those of N equal flows held N W = C (R + Q), with base RTT R, and shall hold C R: so V = R + Q. Decision 0035 has what is ours.
 */
class Dx implements WindowAlgorithm {
  readonly name = 'dx';
  private readonly link: WindowLink;
  private readonly parameters: WindowParameters;
  private readonly window: TcpWindow;
  private readonly delay = new QueueingDelay();
  /** The acknowledgement of this frame ends the round trip. */
  private observedTo = 0;
  /** The delay of frames below this number says nothing: they were sent before the latest decrease, or as one burst before an RTT was known. */
  private measuredFrom = 0;
  /** The flow had more to send than its window let out, in this round trip. */
  private isLimited = false;
  private queueingNs = 0;
  private rttNs = 0;

  constructor(link: WindowLink, parameters: WindowParameters) {
    this.link = link;
    this.parameters = parameters;
    this.window = new TcpWindow(parameters);
  }

  get windowFrames(): number {
    return this.window.frames;
  }

  /** Frames leave evenly spaced: those that wait behind others of their own flow measure no queue. */
  get pacingGapNs(): number {
    const gain = this.window.isSlowStart ? SLOW_START_GAIN : this.parameters.pacing_gain;
    return this.rttNs / (gain * this.window.frames);
  }

  update(sample: WindowSample): void {
    if (this.rttNs === 0) this.measuredFrom = sample.sentFrames;
    this.rttNs = sample.smoothedRttNs;
    if (sample.event === WindowEvent.acknowledged) this.onAcknowledged(sample);
    else if (sample.event === WindowEvent.timeout) this.window.collapse(sample, LOSS_FACTOR);
    else if (sample.ackedNumber >= this.measuredFrom) this.reduce(LOSS_FACTOR, sample);
  }

  state(): Record<string, number> {
    return { cwnd: this.window.frames, ssthresh: this.window.threshold, queueing_delay: this.queueingNs };
  }

  private onAcknowledged(sample: WindowSample): void {
    this.isLimited ||= sample.isWindowLimited;
    const isOfThisWindow = sample.ackedNumber >= this.measuredFrom;
    this.delay.sample(sample, isOfThisWindow);
    if (this.window.isSlowStart && sample.isWindowLimited) this.window.slowStart(sample.ackedFrames);
    if (sample.ackedNumber < this.observedTo) return;
    this.observedTo = sample.sentFrames;
    if (isOfThisWindow) this.endRound(sample);
  }

  private endRound(sample: WindowSample): void {
    const { window, delay, isLimited } = this;
    this.isLimited = false;
    this.queueingNs = Math.max(0, delay.takeMeanNs(isLimited) - this.headroomNs);
    if (this.queueingNs > 0) this.reduce(delay.baseRttNs / (delay.baseRttNs + this.queueingNs), sample);
    else if (isLimited && !window.isSlowStart) window.set(window.frames + 1);
  }

  private reduce(part: number, { sentFrames }: WindowSample): void {
    this.window.reduce(part);
    this.measuredFrom = sentFrames;
  }

  private get frameNs(): number {
    return transmissionNs(this.link.frameWireBytes, this.link.maxRateBps);
  }

  private get headroomNs(): number {
    return Math.max(this.parameters.headroom * this.frameNs, this.link.latenessNs);
  }
}

export const dx: WindowAlgorithmDefinition = {
  name: 'dx',
  summary: 'DX: a window that falls by just what drains the queueing delay',
  parameters: [
    parameter('headroom', [2, 0, 1_000], 'frames at max rate', {
      meaning: 'mean queueing delay of a round trip that counts as none; the lateness of processes where that is more',
      source: 'ours: frames of several flows meet without a queue, docs/decisions/0035-dx.md',
    }),
    parameter('pacing_gain', [1.2, 1, 4], '', {
      meaning: 'rate of the pacer over the window by the smoothed RTT; twice in slow start',
      source: 'ours, as for hull',
    }),
    INITIAL_WINDOW,
    { ...MIN_WINDOW, kind: constant(0.01, 10, 'frames') },
    MAX_WINDOW,
  ],
  create: (link, parameters) => new Dx(link, parameters),
};
