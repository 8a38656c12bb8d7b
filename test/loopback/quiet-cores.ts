import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long one look takes: long enough for ten ticks of the kernel's accounting on each of two cores. */
const LOOK_MS = 500;
/** A fifth of one core of two: a run of seven processes beside more than that is not one of two cores. */
const QUIET_SHARE = 0.1;

/** Share of the machine's cores that is in use, 0 to 1, over half a second in which the caller does nothing. */
async function coresInUse(): Promise<number> {
  const before = totals();
  await sleep(LOOK_MS);
  const after = totals();
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

function totals(): { idle: number; all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, each) => sum + each.idle + each.user + each.sys + each.nice + each.irq, 0);
  return { idle, all };
}

/** Waits until other programs leave the cores alone, `forMs` at most; whether they do. */
export async function quietCores(forMs: number): Promise<boolean> {
  const untilMs = performance.now() + forMs;
  for (;;) {
    if ((await coresInUse()) <= QUIET_SHARE) return true;
    if (performance.now() >= untilMs) return false;
  }
}
