/**
 * When the next credit of one flow is due. Each gap is jittered around `(88 + data) * 8 / rate` (PROTOCOL §4.4) and counted from the time that the
 * last credit was due, not from when it went out: a driver that wakes late sends what it missed and loses nothing in the long run, up to the catch-up
 * bound, beyond which lost time stays lost, so that a stall is not followed by a burst that overflows the credit queues.
 *
 * Its numbers are in the record of its flow: `ReceiverPlace.dueNs` is when the next credit is due, `gapNs` the mean time between two.
 */
import type { Random } from '../base/random.js';
import { NEVER } from '../base/time.js';
import { MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../wire/layout.js';
import { ReceiverPlace } from './flow-record.js';

const { dueNs: DUE, gapNs: GAP, catchUpNs: CATCH_UP } = ReceiverPlace;

/** A new pacer, which has no rate. `catchUpNs`: the time that a late driver makes up for. */
export function startPacer(numbers: Float64Array, at: number, catchUpNs: number): void {
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

/** The next credit is due `byNs` sooner, but not before now; nothing changes below 0. */
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

/** The credit that was due has been sent: draws when the next is. `jitter`: part of the gap, either way. */
export function paceNext(numbers: Float64Array, at: number, jitter: number, random: Random): void {
  numbers[at + DUE] += numbers[at + GAP] * (1 + jitter * (2 * random.next() - 1));
}
