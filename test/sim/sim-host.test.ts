import { expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import type { Host } from '../../src/core/host.js';
import { SimHost } from '../../src/sim/sim-host.js';
import { FramePool } from '../../src/wire/frame.js';
import { printSeed, scaledRuns, TEST_SEED } from '../harness/seeds.js';

printSeed();

/** A machine with timers that are as close together as times can be. */
class Ticking {
  private dueNs: number;

  constructor(dueNs: number) {
    this.dueNs = dueNs;
  }

  nextTimeout(): number {
    return this.dueNs;
  }

  advance(nowNs: number): void {
    while (this.dueNs <= nowNs) this.dueNs *= 1 + Number.EPSILON;
  }
}

it("asks its machine for nothing in the past, however times round between its clock and the world's", () => {
  const random = new SeededRandom(TEST_SEED);
  const pool = new FramePool(() => new Uint8Array(0), 0);
  for (let run = 0; run < scaledRuns(20_000); run++) {
    const machine = new Ticking(1e9 * random.next());
    const spec = { id: 1, endpoint: {}, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 };
    const host = new SimHost(spec, { make: () => machine as unknown as Host, random, pool });
    host.setDrift(2_000 * (random.next() - 0.5), 1e6 * random.next());
    const nowNs = host.nextTimeout();
    host.advance(nowNs);
    expect(host.nextTimeout()).toBeGreaterThan(nowNs);
  }
});
