// Tested by test/loopback/sim.test.ts
import type { ExchangeMemory } from '../../sim/parts/exchange.js';
import { Abandoned, OnlyWhole } from '../../sim/parts/only-whole.js';
import { Part } from '../../sim/parts/part.js';
import type { Partition } from '../../sim/parts/partition.js';
import type { Scenario } from '../../sim/scenario.js';
import type { PartRun } from '../../sim/simulate.js';
import { described, type PlayError } from './play.js';

/** Reads of the shared counter before a thread sleeps. Ours: tens of microseconds, as long as a window of a large network takes. */
const LOOKS = 10_000;

/** One part of a scenario for a thread. */
export interface PartRequest {
  readonly scenario: Scenario;
  readonly partition: Partition;
  readonly part: number;
  readonly memory: ExchangeMemory;
  /** As of a PlayRequest; the first part writes it. */
  readonly progress: SharedArrayBuffer;
}

/** `whole`: why it has to be played in one thread; `isAbandoned`: another part has ended. */
export type PartAnswer =
  | { readonly run: PartRun }
  | { readonly whole: string }
  | { readonly isAbandoned: true }
  | { readonly error: PlayError };

/** Plays its part and sleeps while it waits for others. */
export function playPart({ scenario, partition, part, memory, progress: shared }: PartRequest): PartAnswer {
  const progress = new Float64Array(shared);
  const onWindow = (nowNs: number): void => {
    progress[0] = nowNs / scenario.durationNs;
    progress[1] = nowNs;
  };
  try {
    const played = new Part({ partition, part, memory, ...(part === 0 && { onWindow }) });
    const steps = played.play(scenario);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return { run: value };
      played.exchange.sleep(value, LOOKS);
    }
  } catch (error) {
    if (error instanceof OnlyWhole) return { whole: error.message };
    return error instanceof Abandoned ? { isAbandoned: true } : { error: described(error) };
  }
}
