// Tested by test/core/window/dctcp.test.ts

import { parameter } from '../../base/setting.js';
import type { WindowParameters, WindowSample } from './algorithm.js';

/** Lowest ssthresh after a loss. RFC 5681 equation 4 */
const LEAST_THRESHOLD_FRAMES = 2;

/**
 * The congestion window of TCP's algorithms, in frames: slow start up to a threshold (RFC 5681 section 3.1), and what a timeout does (equation 4). Growth
 * beyond the threshold and decreases are the algorithm's.
 */
export class TcpWindow {
  frames: number;
  threshold = Number.POSITIVE_INFINITY;
  private readonly minFrames: number;
  private readonly maxFrames: number;

  /** Takes `initial_window`, `min_window` and `max_window`. */
  constructor(parameters: WindowParameters) {
    this.minFrames = parameters.min_window;
    this.maxFrames = parameters.max_window;
    this.frames = Math.min(parameters.initial_window, this.maxFrames);
  }

  get isSlowStart(): boolean {
    return this.frames < this.threshold;
  }

  /** One frame for each acknowledged, but not beyond the threshold; returns how many of them were left for congestion avoidance. */
  slowStart(ackedFrames: number): number {
    const used = Math.min(ackedFrames, Math.max(0, this.threshold - this.frames));
    this.set(this.frames + used);
    return ackedFrames - used;
  }

  /** One frame for each window of them: RFC 5681 equation 3, by frames. Below one frame, one for each: line 7 of Swift's Algorithm 1. */
  growByOne(ackedFrames: number): void {
    this.set(this.frames + ackedFrames / Math.max(1, this.frames));
  }

  /** Falls to `part` of the window, where slow start ends. A window below one frame has none: an acknowledgement would open it by a multiple. */
  reduce(part: number): void {
    this.set(this.frames * part);
    this.threshold = this.frames < 1 ? this.frames : Math.max(this.frames, LEAST_THRESHOLD_FRAMES);
  }

  /** Begins again with one frame; slow start ends at `part` of what was out. RFC 5681 section 3.1 */
  collapse({ inFlightFrames }: WindowSample, part: number): void {
    this.threshold = Math.max(Math.min(this.frames, inFlightFrames) * part, LEAST_THRESHOLD_FRAMES);
    this.set(1);
  }

  set(frames: number): void {
    this.frames = Math.min(Math.max(frames, this.minFrames), this.maxFrames);
  }
}

/**
 * Parameters that several window algorithms have.
 * Tested by test/core/window/registry.test.ts.
 */

export const INITIAL_WINDOW = parameter('initial_window', [10, 1, 1_000], 'frames', {
  meaning: 'congestion window of a new flow',
  source: 'RFC 6928',
});

export const MIN_WINDOW = parameter('min_window', [1, 1, 10], 'frames', {
  meaning: 'lowest congestion window',
  source: 'ours: as the ns-2 models; Linux keeps 2, with which 256 flows fill 200 kB that nobody can drain',
});

export const MAX_WINDOW = parameter('max_window', [65_536, 1, 1_000_000], 'frames', {
  meaning: 'highest congestion window; the receive window bounds what is out besides',
  source: 'ours: 100 MB of full frames, more than any path of these networks holds',
});
