import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type TestContext } from 'vitest';

// Figures of processes in real time are those of the program only where nobody else had the cores: other programs, or other machines on the host of a
// virtual one.

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

/** For how long cores that others use are waited for; once that was in vain, for the rest of the file. */
const QUIET_WAIT_MS = 10_000;
const NEXT_WAIT_MS = 1_000;
let waitMs = QUIET_WAIT_MS;
/** Runs, at most. */
const RUNS = 2;
/** A core that a host of machines takes away for 1 % of the time is away for 10 to 100 ms at once, which is a queue of dozens of frames (ours). */
const STOLEN_SHARE = 0.01;
const TICKS_PER_S = 100;

/** How the reason begins for which a test is skipped, or is not judged: .config/tally-reporter.mjs names these tests at the end. */
const BUSY = 'busy cores: ';
/** The second try of .ci/run, which skips nothing. */
const IS_LAST_TRY = process.env.XPASS_TEST_LAST_TRY !== undefined;

/**
 * Runs until nothing is wrong; `play` says in words what is. Skips where cores were taken away before a run or in it, since a process without a core
 * does what no program of its own can mend.
 *
 * The last try plays in any case. All that `play` itself asserts then holds on busy cores too: that processes start, do their work and end. Only of
 * figures that are wrong nothing is said where the cores were busy, or a host that is never quiet would fail every change; the end of the run tells
 * of it.
 */
export async function untilWell(context: TestContext, play: () => Promise<string>): Promise<void> {
  let seen = '';
  let busy = '';
  for (let run = 1; run <= RUNS; run++) {
    if (!(await quietCores(waitMs))) {
      waitMs = NEXT_WAIT_MS;
      busy = `${BUSY}other programs use them. ${seen}`;
      context.skip(!IS_LAST_TRY, busy);
    }
    const stolenShare = stolenFromNow();
    const wrong = await play();
    if (wrong === '') return;
    seen += `Run ${run}: ${wrong}. `;
    const stolen = stolenShare();
    if (stolen > STOLEN_SHARE) {
      busy = `${BUSY}the machine's host took ${(100 * stolen).toFixed(1)} % of them. ${seen}`;
      context.skip(!IS_LAST_TRY, busy);
    }
  }
  if (busy === '') expect(seen).toBe('');
  else await context.annotate(busy);
}

/** Share of the cores' time that the host of a virtual machine takes for others, from now until the call. 0 where Linux does not tell. */
function stolenFromNow(): () => number {
  const [fromTicks, fromMs] = [stolenTicks(), performance.now()];
  return () => (stolenTicks() - fromTicks) / TICKS_PER_S / cpus().length / ((performance.now() - fromMs) / 1e3);
}

/** `steal`, the eighth number of the line for all cores (proc_stat(5)), in 1/100 s. */
function stolenTicks(): number {
  if (process.platform !== 'linux') return 0;
  return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]);
}

/** Waits until other programs leave the cores alone, `forMs` at most; whether they do. */
async function quietCores(forMs: number): Promise<boolean> {
  const untilMs = performance.now() + forMs;
  for (;;) {
    if ((await coresInUse()) <= QUIET_SHARE) return true;
    if (performance.now() >= untilMs) return false;
  }
}
