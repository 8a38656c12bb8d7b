// Tested by test/sim/parts/parts.test.ts
import type { SimulationResult } from '../result.js';
import type { Scenario } from '../scenario.js';
import type { PartRun } from '../simulate.js';
import { exchangeMemory } from './exchange.js';
import { merge } from './merge.js';
import { checkedPartition, Part } from './part.js';

/** Plays parts in one thread, `first` before the others: each goes on until it waits. Throws OnlyWhole where that cannot be. */
export function inTurns(scenario: Scenario, parts: number, first = 0): SimulationResult {
  const partition = checkedPartition(scenario, parts);
  const memory = exchangeMemory(parts);
  const runs: PartRun[] = [];
  let playing = Array.from({ length: parts }, (_, index) => {
    const part = (index + first) % parts;
    return { part, steps: new Part({ partition, part, memory }).play(scenario) };
  });
  while (playing.length > 0) {
    playing = playing.filter(({ part, steps }) => {
      const { done, value } = steps.next();
      if (done === true) runs[part] = value;
      return done !== true;
    });
  }
  return merge(scenario, partition, runs);
}
