import { type WindowAlgorithm, WindowEvent, type WindowSample } from '../../../src/core/window/algorithm.js';

/** A path of 100 us, ten frames on their way, no marks. */
const TYPICAL: WindowSample = {
  event: WindowEvent.acknowledged,
  nowNs: 0,
  sentFrames: 0,
  inFlightFrames: 10,
  isWindowLimited: true,
  ackedFrames: 1,
  ackedBytes: 1_446,
  ackedNumber: 0,
  markedFrames: 0,
  rttNs: 100_000,
  smoothedRttNs: 100_000,
  minRttNs: 100_000,
  remoteQueuingNs: 0,
  localQueuingNs: 0,
  forwardNs: 0,
  hops: 2,
};

export function sampleOf(changes: Partial<WindowSample> = {}): WindowSample {
  return { ...TYPICAL, ...changes };
}

/** Acknowledges frames `from` to `to`, the latter left out, one at a time while `sentFrames` have been sent. */
export function acknowledge(
  algorithm: WindowAlgorithm,
  [from, to]: readonly [number, number],
  changes: Partial<WindowSample> = {},
): void {
  for (let number = from; number < to; number++) algorithm.update(sampleOf({ ...changes, ackedNumber: number }));
}

export const TEN_GIGABIT = { maxRateBps: 10e9, frameWireBytes: 1_538, latenessNs: 0 };
