/**
 * A token bucket kept as one time (virtual scheduling, ITU-T I.371): the level at t is `(t - emptyNs) * rate`, at most the depth. Spending moves `emptyNs` by
 * the time that refilling takes, so no level is rounded. PROTOCOL §9.1. Its numbers are in its port's record.
 */
import { PortField } from './port-record.js';

const {
  meterEmptyNs: EMPTY,
  meterBytesPerNs: BYTES_PER_NS,
  meterDepthBytes: DEPTH,
  meterDepthNs: DEPTH_NS,
} = PortField;

export interface MeterRate {
  /** The credits' own rate, Infinity for no metering. */
  readonly rateBps: number;
  readonly depthBytes: number;
}

/** A new bucket, which is full. */
export function startMeter(numbers: Float64Array, at: number, rate: MeterRate): void {
  setRate(numbers, at, rate);
  numbers[at + EMPTY] = -numbers[at + DEPTH_NS];
}

/** From when on the bucket holds `bytes`, which are at most its depth. */
export function eligibleNs(numbers: Float64Array, at: number, bytes: number): number {
  return numbers[at + EMPTY] + bytes / numbers[at + BYTES_PER_NS];
}

/** Takes `bytes` out at `nowNs`, which is not before `eligibleNs(bytes)`. */
export function spend(numbers: Float64Array, at: number, bytes: number, nowNs: number): void {
  const fullNs = nowNs - numbers[at + DEPTH_NS];
  numbers[at + EMPTY] = Math.max(numbers[at + EMPTY], fullNs) + bytes / numbers[at + BYTES_PER_NS];
}

/** Bytes in the bucket. */
export function levelBytes(numbers: Float64Array, at: number, nowNs: number): number {
  const depthBytes = numbers[at + DEPTH];
  if (numbers[at + BYTES_PER_NS] === Number.POSITIVE_INFINITY) return depthBytes;
  return Math.min(depthBytes, (nowNs - numbers[at + EMPTY]) * numbers[at + BYTES_PER_NS]);
}

/** Another rate or depth from `nowNs` on; what the bucket holds stays in it. */
export function changeMeter(numbers: Float64Array, at: number, rate: MeterRate, nowNs: number): void {
  const bytes = levelBytes(numbers, at, nowNs);
  setRate(numbers, at, rate);
  numbers[at + EMPTY] = nowNs - bytes / numbers[at + BYTES_PER_NS];
}

function setRate(numbers: Float64Array, at: number, { rateBps, depthBytes }: MeterRate): void {
  const bytesPerNs = rateBps / 8e9;
  numbers[at + BYTES_PER_NS] = bytesPerNs;
  numbers[at + DEPTH] = depthBytes;
  numbers[at + DEPTH_NS] = depthBytes / bytesPerNs;
}
