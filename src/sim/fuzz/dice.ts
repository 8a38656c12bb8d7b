// Tested by test/sim/fuzz/random-scenario.test.ts
import { SeededRandom } from '../../base/random.js';

/** Choices of a scenario that nobody wrote. */
export class Dice {
  private readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  /** True in `share` of the cases. */
  chance(share: number): boolean {
    return this.random.next() < share;
  }

  /** Any 32 bits. */
  uint32(): number {
    return this.random.uint32();
  }

  /** Uniform, `low` included. */
  between(low: number, high: number): number {
    return low + this.random.next() * (high - low);
  }

  /** Uniform over the logarithm: as often from 1 to 10 as from 10 to 100. */
  spread(low: number, high: number): number {
    return low * (high / low) ** this.random.next();
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.random.next() * (high - low + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)];
  }

  /** Two different ones. */
  pair<T>(choices: readonly T[]): [T, T] {
    const first = this.whole(0, choices.length - 1);
    const second = this.whole(0, choices.length - 2);
    return [choices[first], choices[second < first ? second : second + 1]];
  }

  /** `least` to all of them, in their order. */
  some<T>(choices: readonly T[], least: number): T[] {
    const count = this.whole(least, choices.length);
    const left = [...choices];
    while (left.length > count) left.splice(this.whole(0, left.length - 1), 1);
    return left;
  }

  /** `value` in `share` of the cases, else nothing. */
  maybe<T extends object>(share: number, value: () => T): T | Record<string, never> {
    return this.chance(share) ? value() : {};
  }
}
