import { jainIndex } from '../../sim/measure/jain.js';

/** Bytes of each flow that the receiver has delivered by a time. */
export interface FlowSample {
  readonly timeS: number;
  readonly bytes: readonly number[];
}

/** Data wire bytes that the bottleneck port has sent by a time. */
export interface PortSample {
  readonly timeS: number;
  readonly wireBytes: number;
}

export interface Window {
  readonly startS: number;
  readonly endS: number;
}

/** Jain's index is taken over windows of this length. */
const JAIN_WINDOW_S = 1;

/** The time in which every flow had begun and none was done, each of `totalBytes`; null when there was none. */
export function activeWindow(samples: readonly FlowSample[], totalBytes: number): Window | null {
  const active = samples.filter(({ bytes }) => bytes.every((count) => count > 0 && count < totalBytes));
  if (active.length < 2) return null;
  return { startS: active[0].timeS, endS: active[active.length - 1].timeS };
}

/** Mean of Jain's index over windows of a second in `window`; over all of it when it is shorter. Null without samples. */
export function meanJain(samples: readonly FlowSample[], window: Window): number | null {
  const inside = samples.filter(({ timeS }) => timeS >= window.startS && timeS <= window.endS);
  if (inside.length < 2) return null;
  const indices: number[] = [];
  let from = inside[0];
  for (const sample of inside) {
    if (sample.timeS - from.timeS < JAIN_WINDOW_S) continue;
    indices.push(jainBetween(from, sample));
    from = sample;
  }
  if (indices.length === 0) return jainBetween(inside[0], inside[inside.length - 1]);
  return indices.reduce((sum, index) => sum + index, 0) / indices.length;
}

function jainBetween(from: FlowSample, to: FlowSample): number {
  return jainIndex(to.bytes.map((count, flow) => count - from.bytes[flow]));
}

/** Bit/s of the port in `window`, by the samples next to its ends; null when they are one. */
export function meanRateBps(samples: readonly PortSample[], window: Window): number | null {
  const first = samples.findLast(({ timeS }) => timeS <= window.startS) ?? samples[0];
  const last = samples.find(({ timeS }) => timeS >= window.endS) ?? samples[samples.length - 1];
  if (first === undefined || last === undefined || last.timeS <= first.timeS) return null;
  return ((last.wireBytes - first.wireBytes) * 8) / (last.timeS - first.timeS);
}
