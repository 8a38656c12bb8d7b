// Tested by test/loopback/bench.test.ts

import { serve } from './child-program.js';
import { GapMeter } from './flows/meters.js';
import type { GapErrors } from './flows/orders.js';

/**
 * A program that does nothing but look at the clock, and notes when the credits would leave that it does not send: what is uneven here is the
 * machine's. Started by pacing.ts; ready when it has measured.
 */
export interface BarePacerOrder {
  gapNs: number;
  warmUpMs: number;
  measureMs: number;
}

/** Time between two looks at its messages, by which it ends (ours). */
const STAY_MS = 50;

class BarePacer {
  private readonly gapMs: number;
  private readonly meter: GapMeter;
  private dueMs = performance.now();

  constructor(gapNs: number) {
    this.gapMs = gapNs / 1e6;
    this.meter = new GapMeter(gapNs);
  }

  /** Like a pacer that gives up what it could not send: what comes late makes those behind it late by as much. */
  async run(ms: number): Promise<GapErrors> {
    this.meter.forget();
    for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
      this.stay(performance.now() + STAY_MS);
      await new Promise(setImmediate);
    }
    return this.meter.take();
  }

  private stay(untilMs: number): void {
    let nowMs = performance.now();
    while (nowMs < untilMs) {
      if (nowMs >= this.dueMs) {
        this.meter.onCredit(nowMs * 1e6);
        this.dueMs = Math.max(this.dueMs + this.gapMs, nowMs);
      }
      nowMs = performance.now();
    }
  }
}

serve(async ({ gapNs, warmUpMs, measureMs }: BarePacerOrder) => {
  const pacer = new BarePacer(gapNs);
  await pacer.run(warmUpMs);
  return { ready: await pacer.run(measureMs) };
});
