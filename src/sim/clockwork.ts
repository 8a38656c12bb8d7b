// Tested by test/sim/simulate.test.ts and test/sim/parts/parts.test.ts
import type { Network } from './network.js';

/** Plays a world's time. A generator yields when it has to wait for other threads; its driver decides how to wait. */
export interface Clockwork {
  /** Plays until `untilNs`, or until the network is stopped because `left` is 0; returns the time. */
  run(untilNs: number, left: () => number): Generator<number, number>;
  /** The greatest of the values that all parts give. */
  greatest(value: number): Generator<number, number>;
}

/** The clockwork of a whole world. It never waits. */
export class WholeClockwork implements Clockwork {
  private readonly network: Network;

  constructor(network: Network) {
    this.network = network;
  }

  run(untilNs: number): Generator<number, number> {
    return atOnce(this.network.run(untilNs));
  }

  greatest(value: number): Generator<number, number> {
    return atOnce(value);
  }
}

function* atOnce(value: number): Generator<number, number> {
  yield* [];
  return value;
}
