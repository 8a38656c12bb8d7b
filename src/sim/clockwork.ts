// Tested by test/sim/simulate.test.ts and test/sim/parts/parts.test.ts
import type { Network } from './network.js';

/** What lets a world's time pass. Both yield where they wait for other threads: for what, is between them and who drives them. */
export interface Clockwork {
  /** Plays until `untilNs`, or until the network is stopped because `left` is 0; returns the time. */
  run(untilNs: number, left: () => number): Generator<number, number>;
  /** Of the values of all parts. */
  greatest(value: number): Generator<number, number>;
}

/** That of a world that is whole: it waits for nobody. */
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
