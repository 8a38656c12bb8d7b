/**
 * When a sender with data asks for credits again: "no credit for timeout" of ExpressPass 2017, Figure 7; several gaps (PROTOCOL §4.1). Its numbers are in the
 * record of its flow: `SenderPlace.sinceNs` is when the wait began, `creditGapNs` the mean gap between credits.
 */
import { NEVER } from '../base/time.js';
import type { EndpointConfig } from './config.js';
import { SenderPlace } from './flow-record.js';
import type { RttEstimator } from './rtt.js';

const { sinceNs: SINCE, lastCreditNs: LAST_CREDIT, creditGapNs: GAP } = SenderPlace;

/** Weight of a new gap that is longer than the mean, as of a new sample in the smoothed RTT: RFC 6298 section 2. */
const GAIN = 1 / 8;
/** Weight of a shorter gap: turns of four credits give three short gaps and a long one, and equal weights made flows ask too early. */
const SHORTER_GAIN = 1 / 32;
/** Gaps without a credit until none is expected. Jitter and competition rarely stretch a gap fourfold; of exponential gaps these are 6.4. */
const SILENT_GAPS = 4;

/** A new watch. `lastCreditNs`: the last credit of the present run of credits; NEVER before the first. */
export function startWatch(numbers: Float64Array, at: number): void {
  numbers[at + LAST_CREDIT] = NEVER;
}

/** Data has come that needs a credit, after a time without. */
export function beginWatch(numbers: Float64Array, at: number, nowNs: number): void {
  awaitCredit(numbers, at, nowNs);
  numbers[at + LAST_CREDIT] = NEVER;
}

/** The wait for a requested credit begins; this ends a gap too, else flows with rare credits would never learn the gap. */
export function awaitCredit(numbers: Float64Array, at: number, nowNs: number): void {
  numbers[at + SINCE] = nowNs;
}

/** A credit has come. An outage is no longer a gap than `longestNs`, which is what counts of gaps. */
export function watchCredit(numbers: Float64Array, at: number, longestNs: number, nowNs: number): void {
  const lastCreditNs = numbers[at + LAST_CREDIT];
  if (lastCreditNs !== NEVER) {
    const gapNs = Math.min(nowNs - lastCreditNs, longestNs);
    const meanNs = numbers[at + GAP];
    const gain = gapNs < meanNs ? SHORTER_GAIN : GAIN;
    numbers[at + GAP] = meanNs + (meanNs === 0 ? gapNs : (gapNs - meanNs) * gain);
  }
  numbers[at + LAST_CREDIT] = nowNs;
  numbers[at + SINCE] = nowNs;
}

/** When the next credit is overdue. */
export function overdueNs(numbers: Float64Array, at: number, config: EndpointConfig, rtt: RttEstimator): number {
  const { creditTimeoutNs, maxBackoffNs } = config;
  const silenceNs = Math.min(SILENT_GAPS * numbers[at + GAP], maxBackoffNs);
  return numbers[at + SINCE] + Math.max(creditTimeoutNs, rtt.waitNs(2), silenceNs);
}
