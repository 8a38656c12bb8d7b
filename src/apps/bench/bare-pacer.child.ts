// Tested by test/loopback/bench.test.ts

import { GapMeter } from './flows/gap-meter.js';
import type { GapErrors } from './flows/orders.js';
import './probe.child.js';

/** A program that does nothing but look at the clock, and notes when the credits would leave that it does not send: what is uneven here is the machine's. Started by pacing.ts. */
export interface BarePacerOrder {
  gapNs: number;
  warmUpMs: number;
  measureMs: number;
}

/** It stays in place for so long between two looks at its messages, by which it ends (ours). */
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

process.once('message', async ({ gapNs, warmUpMs, measureMs }: BarePacerOrder) => {
  const pacer = new BarePacer(gapNs);
  await pacer.run(warmUpMs);
  process.send?.(await pacer.run(measureMs));
});
// A terminal interrupts this process too; whoever started it says when it is over.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
