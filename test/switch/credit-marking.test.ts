import { describe, expect, it } from 'vitest';
import { type Random, SeededRandom } from '../../src/base/random.js';
import { CreditMarking } from '../../src/switch/credit-marking.js';
import { DEFAULT_PORT, Port } from '../../src/switch/port.js';
import { ecn } from '../../src/wire/decode.js';
import { Ecn } from '../../src/wire/layout.js';
import { creditFrame } from './frames.js';

/** Gives these numbers in turn, then 0.999. */
function script(...numbers: number[]): Random {
  return { next: () => numbers.shift() ?? 0.999, uint32: () => 0 };
}

describe('the marking of credits', () => {
  it('takes its probability from the last N_cdt that came', () => {
    const marking = new CreditMarking(4, script());
    const probabilities = [0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1].map((dropped) => {
      marking.inject(dropped);
      return marking.probability;
    });
    expect(probabilities).toEqual([0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 1]);
  });

  it('draws against that probability, and not at all while it is 0', () => {
    const marking = new CreditMarking(4, script(0.24, 0.25, 0.26));
    expect(marking.draw()).toBe(false);
    for (const dropped of [0, 0, 1, 0]) marking.inject(dropped);
    expect([marking.draw(), marking.draw(), marking.draw()]).toEqual([true, false, false]);
  });

  it('with another N_cdt counts anew, and with 0 marks nothing', () => {
    const marking = new CreditMarking(2, script(0, 0));
    marking.inject(1);
    marking.inject(1);
    marking.configure(3);
    expect(marking.probability).toBe(0);
    for (const dropped of [1, 1, 0]) marking.inject(dropped);
    expect(marking.probability).toBeCloseTo(2 / 3, 12);
    marking.configure(0);
    for (let credit = 0; credit < 9; credit++) marking.inject(1);
    expect(marking.draw()).toBe(false);
  });
});

/** 10 Gbit/s: a credit of 84 B takes 1.24 us of the credits' share; these come every 0.3 us, so that about three of four are lost. */
function overload(creditMarkFrames: number) {
  const port = new Port({ ...DEFAULT_PORT, rateBps: 10e9, creditMarkFrames }, undefined, new SeededRandom(3));
  let [out, marked] = [0, 0];
  for (let credit = 0; credit < 40_000; credit++) {
    port.enqueue(creditFrame({ wireBytes: 84 }), credit * 300);
    for (let frame = port.dequeue(); frame !== null; frame = port.dequeue()) {
      out++;
      if (ecn(frame.bytes) === Ecn.congestionExperienced) marked++;
    }
  }
  return { out, marked, snapshot: port.statistics.snapshot(40_000 * 300) };
}

it('a port marks the credits that leave as often as it drops those that come', () => {
  const { out, marked, snapshot } = overload(4);
  const dropped = snapshot.drops.creditQueueFull / 40_000;
  expect(dropped).toBeGreaterThan(0.6);
  // Five standard deviations of a binomial with 9,600 trials.
  expect(Math.abs(marked / out - dropped)).toBeLessThan(0.025);
  expect(snapshot.creditMarks).toBe(marked);
});

it('a port without marking leaves credits as they are', () => {
  expect(overload(0)).toMatchObject({ marked: 0, snapshot: { creditMarks: 0 } });
});
