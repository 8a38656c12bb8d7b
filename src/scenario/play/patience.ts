// Tested by test/apps/shared/companion.test.ts and test/scenario/play/run-all.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { duration } from '../../base/quantities.js';

/** Ours: processes of a machine whose cores other programs use stall for seconds. */
const USUAL = '20s';
const KIND = duration({ lowest: 100e6, highest: 86_400e9 });

/** How long a process may stay silent beyond the time that its work takes. XPASS_PATIENCE sets it: longer for a slow machine, shorter for tests. */
export function patienceMs(environment: NodeJS.ProcessEnv = process.env): number {
  const text = environment.XPASS_PATIENCE ?? USUAL;
  const patienceNs = KIND.parse(text);
  if (patienceNs === undefined) throw usageFailure(`XPASS_PATIENCE '${text}' is not allowed; allowed: ${KIND.allowed}`);
  return patienceNs / 1e6;
}

/** How long a wait may last. */
export interface Bound {
  /** What the work itself takes; patience comes on top. 0 by default. */
  readonly takesMs?: number;
  /** For work that takes as long as it takes: the bound begins anew whenever this value changes. */
  readonly progress?: () => unknown;
}

/** Looks at the clock within one bound: the bound is kept to an eighth. */
const LOOKS = 8;
const MAX_LOOK_MS = 500;

/** Waits no longer than the bound. Rejects with a Failure that begins with `late` and ends with what was last heard. */
export async function withPatience<T>(
  awaited: Promise<T>,
  late: string,
  { lastHeard, ...bound }: Bound & { lastHeard(): string },
): Promise<T> {
  let stop = (): void => undefined;
  const expired = new Promise<never>((_, reject) => {
    stop = watch(bound, (boundMs) => {
      const how = bound.progress === undefined ? 'within' : 'and nothing changed for';
      const seconds = Number((boundMs / 1e3).toFixed(1));
      reject(new Failure(ExitCode.failed, `${late} ${how} ${seconds} s; last heard: ${lastHeard()}`));
    });
  });
  try {
    return await Promise.race([awaited, expired]);
  } finally {
    stop();
  }
}

/**
 * Calls back once the bound has passed without progress; returns what ends it. A look that comes late counts as two at most: while this process itself did not
 * run, say after Ctrl-Z, what the others said has not been read.
 */
function watch({ takesMs = 0, progress }: Bound, onLate: (boundMs: number) => void): () => void {
  const boundMs = takesMs + patienceMs();
  const lookMs = Math.min(boundMs / LOOKS, MAX_LOOK_MS);
  let last = progress?.();
  let lookedMs = performance.now();
  let silentMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    silentMs += Math.min(nowMs - lookedMs, 2 * lookMs);
    lookedMs = nowMs;
    const value = progress?.();
    if (value !== last) silentMs = 0;
    last = value;
    if (silentMs < boundMs) return;
    clearInterval(timer);
    onLate(boundMs);
  }, lookMs);
  return () => clearInterval(timer);
}
