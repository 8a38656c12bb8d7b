import { DEFAULT_FRAME_BYTES, MIN_WIRE_BYTES, wireBytes } from '../../wire/layout.js';

/** Length of a run whose length nobody gives: long enough to look at, and for six windows of Jain's index (ours). */
const RUN_S = 6;
/** Share of file bytes in the bytes that a link carries (measured: 0.87 to 0.89). */
const GOODPUT_PART = 0.88;
const MEBIBYTE = 2 ** 20;
const KIBIBYTE = 2 ** 10;

/** Rates that the demonstration chooses among, highest first. */
const RATES: readonly number[] = [100e6, 50e6, 20e6];
/** Below this many idle cores the processes wait for each other too long for more than the lowest rate (docs/decisions/0007-late-processes.md). */
const MIN_IDLE_CORES = 0.7;

/** What a warm-up has to reach for its rate to be carried. */
export const GOAL = { utilisation: 0.95, queueFrames: 10 } as const;

/** Data keeps 1538 / (84 + 1538) of a link: ExpressPass 2017, section 3.1. Switches meter a little less, since our credits are 88 bytes on average. */
export const DATA_SHARE = wireBytes(DEFAULT_FRAME_BYTES) / (MIN_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES));

/** What a warm-up came to in its last second. */
export interface WarmUpOutcome {
  readonly rateBps: number;
  readonly utilisation: number;
  readonly queueFrames: number;
  readonly isCarried: boolean;
}

/** Of this machine, before anything is started. */
export interface Cores {
  readonly count: number;
  /** Cores that no other program used for a moment. */
  readonly idle: number;
}

/** What led to a rate: the last one tried is that of the run. */
export interface RateChoice {
  readonly cores: Cores;
  readonly tried: readonly WarmUpOutcome[];
}

/** The rate to try first. Only where each process has a core of its own is 100 Mbit/s worth a try. */
export function firstRate({ idle }: Cores, processes: number): number {
  if (idle >= processes) return RATES[0];
  return idle >= MIN_IDLE_CORES ? RATES[1] : RATES[2];
}

/** The rate to try after these: null when one was carried or none is left. */
export function nextRate(tried: readonly WarmUpOutcome[]): number | null {
  if (tried.some(({ isCarried }) => isCarried)) return null;
  const lowestBps = Math.min(...tried.map(({ rateBps }) => rateBps));
  return RATES.find((rateBps) => rateBps < lowestBps) ?? null;
}

/** Bytes that each sender sends: six seconds of its share of the link, in whole MiB or KiB, at most the whole file. */
export function bytesFor(rateBps: number, senders: number, fileBytes: number): number {
  const bytes = (rateBps * GOODPUT_PART * RUN_S) / 8 / senders;
  const unit = bytes >= MEBIBYTE ? MEBIBYTE : KIBIBYTE;
  return Math.max(1, Math.min(Math.max(1, Math.round(bytes / unit)) * unit, fileBytes));
}
