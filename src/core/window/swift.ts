import { MICROSECOND_NS, transmissionNs } from '../../base/time.js';
import {
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowLink,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';
import { SWIFT_PARAMETERS } from './swift-parameters.js';

/**
 * What the window that is not the bottleneck has at most, of the other: the "ceiling value" of section 3.3 footnote 3, whose value the paper does not give (ours: without
 * one it would grow to the maximum and take ten round trips to fall when it becomes the bottleneck).
 */
const CEILING = 2;
/**
 * The target of the hosts' delay is at least so many times what a process is late by as a rule (ours): there are two hosts, and a target that their mean exceeds is met
 * by no window, so that the flow would starve.
 */
const LATENESSES = 4;

/** One window of Algorithm 1, which compares one delay with one target. */
class DelayWindow {
  frames: number;
  private readonly parameters: WindowParameters;
  private lastDecreaseNs = Number.NEGATIVE_INFINITY;

  constructor(parameters: WindowParameters) {
    this.parameters = parameters;
    this.frames = parameters.initial_window;
  }

  /** Lines 4 to 14. */
  acknowledge(delayNs: number, targetNs: number, sample: WindowSample): void {
    const { ai, beta, max_mdf: maxMdf } = this.parameters;
    if (delayNs < targetNs) {
      if (!sample.isWindowLimited) return;
      this.frames += this.frames >= 1 ? (ai * sample.ackedFrames) / this.frames : ai * sample.ackedFrames;
    } else if (this.canDecrease(sample))
      this.decrease(Math.max(1 - (beta * (delayNs - targetNs)) / delayNs, 1 - maxMdf), sample);
  }

  /** Lines 20 and 25. */
  halve(sample: WindowSample): void {
    if (this.canDecrease(sample)) this.decrease(1 - this.parameters.max_mdf, sample);
  }

  /** Line 18. */
  collapse({ nowNs }: WindowSample): void {
    this.frames = this.parameters.min_window;
    this.lastDecreaseNs = nowNs;
  }

  /** Line 26. */
  clamp(most: number): void {
    const { min_window: min, max_window: max } = this.parameters;
    this.frames = Math.max(min, Math.min(this.frames, most, max));
  }

  /** Line 3: once an RTT. */
  private canDecrease({ nowNs, rttNs }: WindowSample): boolean {
    return nowNs - this.lastDecreaseNs >= rttNs;
  }

  private decrease(part: number, { nowNs }: WindowSample): void {
    this.frames *= part;
    this.lastDecreaseNs = nowNs;
  }
}

/**
 * Swift (Kumar and others, SIGCOMM 2020), Algorithm 1 twice: a window for the delay in the fabric and one for that in the hosts (3.3), whose minimum counts. The target in
 * the fabric grows with the switches on the way and as the window shrinks (3.5); below one frame the window becomes a gap between two (3.4).
 */
class Swift implements WindowAlgorithm {
  readonly name = 'swift';
  private readonly parameters: WindowParameters;
  private readonly fabric: DelayWindow;
  private readonly endpoint: DelayWindow;
  private readonly link: WindowLink;
  /** What the hosts may take: no less than processes are late by as a rule. */
  private readonly endpointTargetNs: number;
  private endpointDelayNs = 0;
  private fabricTargetNs = 0;
  private retransmissions = 0;
  private rttNs = 0;

  constructor(link: WindowLink, parameters: WindowParameters) {
    this.parameters = parameters;
    this.fabric = new DelayWindow(parameters);
    this.endpoint = new DelayWindow(parameters);
    this.link = link;
    this.endpointTargetNs = Math.max(parameters.endpoint_target * MICROSECOND_NS, LATENESSES * link.latenessNs);
  }

  get windowFrames(): number {
    return Math.min(this.fabric.frames, this.endpoint.frames);
  }

  /** Lines 29 to 32. */
  get pacingGapNs(): number {
    const { windowFrames } = this;
    return windowFrames < 1 ? this.rttNs / windowFrames : 0;
  }

  update(sample: WindowSample): void {
    const { fabric, endpoint, parameters } = this;
    this.rttNs = sample.rttNs;
    if (sample.event === WindowEvent.acknowledged) this.onAcknowledged(sample);
    else if (sample.event === WindowEvent.timeout && ++this.retransmissions >= parameters.retx_reset_threshold) {
      fabric.collapse(sample);
      endpoint.collapse(sample);
    } else {
      if (sample.event === WindowEvent.recovery) this.retransmissions = 0;
      fabric.halve(sample);
      endpoint.halve(sample);
    }
    const least = this.windowFrames;
    fabric.clamp(Math.max(CEILING * least, 1));
    endpoint.clamp(Math.max(CEILING * least, 1));
  }

  state(): Record<string, number> {
    return {
      fcwnd: this.fabric.frames,
      ecwnd: this.endpoint.frames,
      target: this.fabricTargetNs,
      endpoint_delay: this.endpointDelayNs,
    };
  }

  private onAcknowledged(sample: WindowSample): void {
    const { parameters } = this;
    this.retransmissions = 0;
    const delayNs = sample.remoteQueuingNs + sample.localQueuingNs;
    this.endpointDelayNs += parameters.endpoint_ewma * (delayNs - this.endpointDelayNs);
    this.fabricTargetNs = this.targetNs(sample);
    this.fabric.acknowledge(Math.max(0, sample.rttNs - delayNs), this.fabricTargetNs, sample);
    this.endpoint.acknowledge(this.endpointDelayNs, this.endpointTargetNs, sample);
  }

  /** Section 3.5. */
  private targetNs({ hops, minRttNs }: WindowSample): number {
    const { base_target: baseUs, hop_delay: hopUs } = this.parameters;
    const baseNs = baseUs > 0 ? baseUs * MICROSECOND_NS : minRttNs + this.queueNs;
    return baseNs + hops * hopUs * MICROSECOND_NS + this.flowsNs;
  }

  /** What may queue beyond the least RTT where no target is given. */
  private get queueNs(): number {
    const { frameWireBytes, maxRateBps, latenessNs } = this.link;
    return Math.max(this.parameters.base_frames * transmissionNs(frameWireBytes, maxRateBps), latenessNs);
  }

  /** What the target has for the flow's window. */
  private get flowsNs(): number {
    const { base_target: baseUs, fs_range: range, fs_min: min, fs_max: max } = this.parameters;
    const rangeNs = range * (baseUs > 0 ? baseUs * MICROSECOND_NS : this.queueNs);
    const alpha = rangeNs / (1 / Math.sqrt(min) - 1 / Math.sqrt(max));
    const b = -alpha / Math.sqrt(max);
    return Math.max(0, Math.min(alpha / Math.sqrt(this.fabric.frames) + b, rangeNs));
  }
}

export const swift: WindowAlgorithmDefinition = {
  name: 'swift',
  summary: 'Swift: windows that hold the delays in fabric and hosts at their targets',
  parameters: SWIFT_PARAMETERS,
  create: (link, parameters) => new Swift(link, parameters),
};
