// Tested by test/core/window/swift.test.ts

import { parameter } from '../../base/setting.js';
import { MICROSECOND_NS, transmissionNs } from '../../base/time.js';
import { constant } from '../../base/value-kind.js';
import {
  type WindowAlgorithm,
  type WindowAlgorithmDefinition,
  WindowEvent,
  type WindowLink,
  type WindowParameter,
  type WindowParameters,
  type WindowSample,
} from './algorithm.js';
import { INITIAL_WINDOW, MAX_WINDOW, MIN_WINDOW } from './slow-start.js';

const PAPER = 'Swift, SIGCOMM 2020';
/** The paper names the parameter and not its value; this is what the public htsim model takes. */
const HTSIM = `${PAPER}, without a value; the htsim model's`;

const SWIFT_PARAMETERS: readonly WindowParameter[] = [
  parameter('ai', [1, 0.001, 100], 'frames', { meaning: 'additive increment of an RTT', source: HTSIM }),
  parameter('beta', [0.8, 0.01, 1], '', { meaning: 'weight of the excess delay in a decrease', source: HTSIM }),
  parameter('max_mdf', [0.5, 0.01, 0.99], '', { meaning: 'most that a decrease takes', source: HTSIM }),
  parameter('base_target', [0, 0, 1e6], 'us', {
    meaning:
      'target of the fabric delay without switches; 0: the least RTT seen and base_frames, which is unfair where flows start while others queue',
    source: 'ours: one setting for links of 100 Mbit/s and 100 Gbit/s, docs/decisions/0011-reactive-defaults.md',
  }),
  parameter('base_frames', [20, 0, 10_000], 'frames at max rate', {
    meaning: 'what may queue beyond the least RTT where base_target is 0',
    source: 'ours: 25 us at 10 Gbit/s, docs/decisions/0011-reactive-defaults.md',
  }),
  parameter('hop_delay', [1, 0, 1e5], 'us', {
    meaning: 'added to the target for each switch',
    source: `ours: a frame of 1250 B at 10 Gbit/s (${PAPER} §3.5 names it without a value; the htsim model has base_target / 6.55)`,
  }),
  parameter('fs_range', [5, 0, 100], 'base targets', {
    meaning: 'most that flow scaling adds: of base_target, or of base_frames where that is 0',
    source: HTSIM,
  }),
  parameter('fs_min', [0.1, 0.001, 1], 'frames', { meaning: 'window at which it adds the most', source: HTSIM }),
  parameter('fs_max', [100, 2, 10_000], 'frames', { meaning: 'window from which it adds nothing', source: HTSIM }),
  parameter('endpoint_target', [100, 1, 1e6], 'us', {
    meaning: 'target of the delay in the hosts; more where processes are late by more as a rule',
    source: `ours: four times the fabric's at 10 Gbit/s (${PAPER} gives none)`,
  }),
  parameter('endpoint_ewma', [0.125, 0.001, 1], '', {
    meaning: 'weight of the latest delay in the hosts',
    source: 'ours: as in the smoothed RTT (the paper gives none)',
  }),
  parameter('retx_reset_threshold', [5, 1, 100], 'timeouts', {
    meaning: 'timeouts in a row after which the window is the smallest',
    source: `ours (${PAPER} names it without a value)`,
  }),
  INITIAL_WINDOW,
  { ...MIN_WINDOW, default: 0.001, kind: constant(0.0001, 10, 'frames'), source: `${PAPER} §3.4` },
  MAX_WINDOW,
];

/**
 * What the window that is not the bottleneck has at most, of the other: the "ceiling value" of section 3.3 footnote 3, whose value the paper does not
 * give (ours: without one it would grow to the maximum and take ten round trips to fall when it becomes the bottleneck).
 */
const CEILING = 2;
/**
 * The target of the hosts' delay is at least so many times what a process is late by as a rule (ours): there are two hosts, and a target that their
 * mean exceeds is met by no window, so that the flow would starve.
 */
const LATENESSES = 4;

/**
 * One window of Algorithm 1, which compares one delay with one target. Two departures (docs/decisions/0011-reactive-defaults.md): line 27 notes a decrease only
 * where there was one, and a window that the flow does not fill does not grow.
 */
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
      // Ours, as RFC 7661 has it for TCP: a flow with little to send would grow its window without ever trying it.
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
 * Swift (Kumar and others, SIGCOMM 2020), Algorithm 1 twice: a window for the delay in the fabric and one for that in the hosts (3.3), whose minimum
 * counts. The target in the fabric grows with the switches on the way and as the window shrinks (3.5); below one frame the window becomes a gap
 * between two (3.4).
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
