/**
 * How a process is stopped. The first SIGINT or SIGTERM asks for an orderly end: flows closed, no file left half-written under its final name,
 * summary printed, exit status as of the work itself (0 for a server, 1 for a transfer that did not finish). A second one ends the process at once, with
 * 130 or 143.
 *
 * A second signal within REPEAT_MS of the first counts as the first: Ctrl-C reaches every process of the terminal's group, and npm
 * passes it on to its child as well, so that one key press arrives twice.
 */

export type InterruptSignal = 'SIGINT' | 'SIGTERM';

/** 128 + the signal's number, as shells report it. */
const EXIT_ON_SECOND: Readonly<Record<InterruptSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Ours: far above the few milliseconds between npm's copy and the terminal's, below how fast people press a key again on purpose. */
export const REPEAT_MS = 300;

/** The part of `process` that is used; tests pass their own. */
export interface SignalSource {
  on(signal: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown;
  off(signal: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown;
  exit(code: number): void;
}

/** Calls `handle` on the first signal; returns a function that gives both signals back to whoever had them before. */
export function onInterrupt(
  handle: (signal: InterruptSignal) => void,
  source: SignalSource = process,
  nowMs: () => number = () => performance.now(),
): () => void {
  let firstMs: number | null = null;
  const listener = (signal: InterruptSignal): void => {
    if (firstMs === null) {
      firstMs = nowMs();
      handle(signal);
    } else if (nowMs() - firstMs >= REPEAT_MS) {
      source.exit(EXIT_ON_SECOND[signal]);
    }
  };
  source.on('SIGINT', listener);
  source.on('SIGTERM', listener);
  return () => {
    source.off('SIGINT', listener);
    source.off('SIGTERM', listener);
  };
}
