/**
 * When the next credit of one flow is due. Each gap is jittered around `(88 + data) * 8 / rate` (PROTOCOL §4.4) and counted from the time that the
 * last credit was due, not from when it went out: a driver that wakes late sends what it missed and loses nothing in the long run, up to the catch-up
 * bound, beyond which lost time stays lost, so that a stall is not followed by a burst that overflows the credit queues.
 *
 * Its numbers are in the record of its flow, `numbers[at ..]`: when the next credit is due is `Hot.dueNs`, the mean time between two is `Hot.gapNs`.
 */
import type { Random } from '../base/random.js';
import * as time from '../base/time.js';
import * as layout from '../wire/layout.js';
import { wireBytes } from '../wire/layout.js';
import * as flowRecord from './flow-record.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { MEAN_CREDIT_WIRE_BYTES } = layout;
const { Hot } = flowRecord;

const { dueNs: DUE, gapNs: GAP, jitter: JITTER, catchUpNs: CATCH_UP } = Hot;

export interface PacerOptions {
  /** Part of the gap, either way. */
  jitter: number;
  catchUpNs: number;
}

/** A new pacer, which has no rate. */
export function startPacer(numbers: Float64Array, at: number, { jitter, catchUpNs }: PacerOptions): void {
  numbers[at + JITTER] = jitter;
  numbers[at + CATCH_UP] = catchUpNs;
  numbers[at + GAP] = NEVER;
}

/** What a credit and the data that it releases take of a link; `frameBytes`: the largest UDP payload that it releases. */
export function bitsPerCredit(frameBytes: number): number {
  return (MEAN_CREDIT_WIRE_BYTES + wireBytes(frameBytes)) * 8;
}

/** `rateBps`: part of the link that credits and their data fill, at `bits` a credit. */
export function setPace(numbers: Float64Array, at: number, bits: number, rateBps: number): void {
  numbers[at + GAP] = (bits * 1e9) / rateBps;
}

/** The next credit is due so much sooner, but not before now; nothing changes for less than 0. */
export function hasten(numbers: Float64Array, at: number, byNs: number, nowNs: number): void {
  if (byNs > 0 && numbers[at + DUE] > nowNs) numbers[at + DUE] = Math.max(nowNs, numbers[at + DUE] - byNs);
}

/** Begins afresh: the next credit is due now. */
export function restartPacer(numbers: Float64Array, at: number, nowNs: number): void {
  numbers[at + DUE] = nowNs;
}

/** The next credit is due now at the earliest: what could not be sent before is not made up for. */
export function forgetBacklog(numbers: Float64Array, at: number, nowNs: number): void {
  if (numbers[at + DUE] < nowNs) numbers[at + DUE] = nowNs;
}

/** Gives up what lies further back than the catch-up bound. */
export function limitBacklog(numbers: Float64Array, at: number, nowNs: number): void {
  const earliestNs = nowNs - numbers[at + CATCH_UP];
  if (numbers[at + DUE] < earliestNs) numbers[at + DUE] = earliestNs;
}

/** The credit that was due has been sent: draws when the next is. */
export function paceNext(numbers: Float64Array, at: number, random: Random): void {
  numbers[at + DUE] += numbers[at + GAP] * (1 + numbers[at + JITTER] * (2 * random.next() - 1));
}
