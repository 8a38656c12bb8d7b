import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Placed, Reassembly } from '../../src/core/reassembly.js';
import { allowLongRuns, holds } from '../harness/seeds.js';
import { pattern, patternByte } from '../harness/streams.js';

allowLongRuns();

const WINDOW = 200_000;
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** A reassembly of the test pattern whose output is checked and counted. */
class Bench {
  delivered = 0;
  calls = 0;
  onDeliver: () => void = () => {};
  readonly reassembly: Reassembly;

  constructor(windowBytes = WINDOW) {
    this.reassembly = new Reassembly(windowBytes, {
      onBytes: (bytes) => {
        for (let index = 0; index < bytes.length; index++) {
          if (bytes[index] !== patternByte(this.delivered + index)) throw new Error(`byte ${this.delivered + index}`);
        }
        this.onLength(bytes.length);
      },
      onLength: (length) => this.onLength(length),
    });
  }

  private onLength(length: number): void {
    this.delivered += length;
    this.calls++;
    this.onDeliver();
  }

  insert(offset: number, length: number, limit = NO_LIMIT): number {
    return this.reassembly.insert(offset, pattern(offset, length), limit);
  }

  get ranges(): [number, number][] {
    const { ranges } = this.reassembly;
    return Array.from({ length: ranges.count }, (_, index) => [ranges.start(index), ranges.end(index)]);
  }
}

it("keeps what lies beyond a hole apart from every other stream's", () => {
  const [holed, other] = [new Bench(), new Bench()];
  holed.insert(1_000, 500);
  expect([holed.reassembly.ranges.count, holed.reassembly.heldBytes]).toEqual([1, 500]);
  expect([other.reassembly.ranges.count, other.reassembly.heldBytes]).toEqual([0, 0]);
});

describe('reassembly', () => {
  it('passes bytes in order through without a copy', () => {
    const given = pattern(0, 10);
    let seen: Uint8Array | null = null;
    const onBytes = (bytes: Uint8Array): void => {
      seen = bytes;
    };
    new Reassembly(WINDOW, { onBytes, onLength: () => {} }).insert(0, given, NO_LIMIT);
    expect(seen).toBe(given);
  });

  it('holds what is ahead of a hole and delivers it when the hole closes', () => {
    const bench = new Bench();
    expect(bench.insert(100, 50)).toBe(Placed.outOfOrder);
    expect(bench.insert(200, 50)).toBe(Placed.outOfOrder);
    expect(bench.reassembly.heldBytes).toBe(100);
    expect(bench.reassembly.highestEnd).toBe(250);
    expect(bench.insert(0, 100)).toBe(Placed.inOrder);
    expect([bench.delivered, bench.reassembly.nextOffset]).toEqual([150, 150]);
    expect(bench.ranges).toEqual([[200, 250]]);
    expect(bench.insert(140, 60)).toBe(Placed.inOrder);
    expect([bench.delivered, bench.reassembly.heldBytes]).toEqual([250, 0]);
  });

  it('delivers each byte once where frames overlap', () => {
    const bench = new Bench();
    bench.insert(100, 100);
    bench.insert(150, 100);
    expect(bench.insert(120, 50)).toBe(Placed.duplicate);
    expect(bench.insert(0, 130)).toBe(Placed.inOrder);
    expect(bench.insert(0, 250)).toBe(Placed.duplicate);
    expect(bench.insert(0, 260)).toBe(Placed.inOrder);
    expect(bench.delivered).toBe(260);
  });

  it('takes nothing beyond its window or the limit of the moment', () => {
    const bench = new Bench();
    expect(bench.insert(WINDOW - 10, 11)).toBe(Placed.outsideWindow);
    expect(bench.insert(WINDOW - 10, 10)).toBe(Placed.outOfOrder);
    expect(bench.insert(0, 101, 100)).toBe(Placed.outsideWindow);
    expect(bench.insert(50, 51, 100)).toBe(Placed.outsideWindow);
    expect(bench.insert(0, 100, 100)).toBe(Placed.inOrder);
    expect(bench.delivered).toBe(100);
  });

  it('takes no more than 1,024 ranges, and any frame that joins one still', () => {
    const bench = new Bench();
    for (let range = 1; range <= 1_024; range++) expect(bench.insert(range * 10, 5)).toBe(Placed.outOfOrder);
    expect(bench.insert(20_000, 5)).toBe(Placed.tooManyRanges);
    expect(bench.insert(10_245, 5)).toBe(Placed.outOfOrder);
    expect(bench.insert(0, 10)).toBe(Placed.inOrder);
    expect(bench.delivered).toBe(15);
  });

  it('is whole whenever it delivers: no range lies before or touches what is in order', () => {
    const bench = new Bench();
    bench.onDeliver = () => expect(bench.reassembly.ranges.firstStart).toBeGreaterThan(bench.reassembly.nextOffset);
    bench.insert(100, 80_000);
    bench.insert(100_000, 10);
    bench.insert(0, 150);
    // The frame, and five blocks of 16 KiB.
    expect(bench.calls).toBe(1 + 5);
    expect(bench.delivered).toBe(80_100);
  });

  it('agrees with a set of all bytes that arrived, over many windows', () => {
    const frame = fc.record({ ahead: fc.nat(40), length: fc.integer({ min: 1, max: 9 }), back: fc.boolean() });
    holds(fc.array(frame, { maxLength: 300 }), 100, (frames) => {
      const UNIT = 3_000;
      const bench = new Bench();
      const arrived = new Set<number>();
      let next = 0;
      for (const { ahead, length, back } of frames) {
        const unit = Math.max(0, back ? next - ahead : next + ahead);
        const limit = next * UNIT + WINDOW;
        const placed = bench.insert(unit * UNIT, length * UNIT);
        if ((unit + length) * UNIT <= limit) for (let step = 0; step < length; step++) arrived.add(unit + step);
        else expect(placed).toBe(Placed.outsideWindow);
        while (arrived.has(next)) next++;
        expect(bench.reassembly.nextOffset).toBe(next * UNIT);
        expect(bench.delivered).toBe(next * UNIT);
        const held = [...arrived].filter((each) => each > next).length;
        expect(bench.reassembly.heldBytes).toBe(held * UNIT);
      }
    });
  });

  it('treats lengths as it treats bytes', () => {
    const frame = fc.record({
      offset: fc.nat(3000),
      length: fc.integer({ min: 1, max: 600 }),
      limit: fc.constantFrom(2000, NO_LIMIT),
    });
    holds(fc.array(frame, { maxLength: 60 }), 100, (frames) => {
      const bytes = new Bench(2500);
      const lengths = new Bench(2500);
      for (const { offset, length, limit } of frames) {
        expect(lengths.reassembly.insertLength(offset, length, limit)).toBe(bytes.insert(offset, length, limit));
        expect([lengths.delivered, lengths.reassembly.nextOffset]).toEqual([bytes.delivered, bytes.delivered]);
        expect(lengths.ranges).toEqual(bytes.ranges);
      }
    });
  });
});
