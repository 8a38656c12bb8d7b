import type { InterruptSignal } from '../shared/command.js';

/**
 * How a process is stopped. The first SIGINT or SIGTERM asks for an orderly end: flows closed, no file left half-written under its final name,
 * summary printed, exit status as of the work itself (0 for a server, 1 for a transfer that did not finish). A second one ends the process at once, with
 * 130 or 143.
 *
 * A second signal within REPEAT_MS of the first counts as the first: Ctrl-C reaches every process of the terminal's group, and npm
 * passes it on to its child as well, so that one key press arrives twice.
 *
 * On Windows nobody can send SIGTERM to a process that could handle it. Ctrl-Break is SIGBREAK, and a console window that is closed is SIGHUP,
 * ten seconds before the process is killed
 * (https://nodejs.org/api/process.html#signal-events). Elsewhere SIGHUP stays what it is, so that nohup works.
 */

/** 128 + the signal's number, as shells report it. */
const EXIT_ON_SECOND: Readonly<Record<InterruptSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGBREAK: 149,
  SIGHUP: 129,
};

const SIGNALS: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM'];
const WINDOWS_SIGNALS: readonly InterruptSignal[] = [...SIGNALS, 'SIGBREAK', 'SIGHUP'];

/** Ours: far above the few milliseconds between npm's copy and the terminal's, below how fast people press a key again on purpose. */
export const REPEAT_MS = 300;

/** The part of `process` that is used; tests pass their own. */
export interface SignalSource {
  /** `process.platform`; Linux where it is left out. */
  readonly platform?: string;
  on(signal: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown;
  off(signal: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown;
  exit(code: number): void;
}

/** Calls `handle` on the first signal; returns a function that gives the signals back to whoever had them before. */
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
  const signals = source.platform === 'win32' ? WINDOWS_SIGNALS : SIGNALS;
  for (const signal of signals) source.on(signal, listener);
  return () => {
    for (const signal of signals) source.off(signal, listener);
  };
}
