import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { CreditLedger } from '../../src/core/credit-ledger.js';
import { type CreditBlock, CreditMemory } from '../../src/core/credit-memory.js';

const ARRAY_CREDITS = 1_024;

interface Taken {
  readonly block: CreditBlock;
  readonly capacity: number;
  readonly mark: number;
}

function fill({ block: { sentNs, fates, at }, capacity, mark }: Taken): void {
  sentNs.fill(mark, at, at + capacity);
  fates.fill(mark, at, at + capacity);
}

function contents({ sentNs, fates, at }: CreditBlock, capacity: number): Set<number> {
  return new Set([...sentNs.subarray(at, at + capacity), ...fates.subarray(at, at + capacity)]);
}

describe.each([ARRAY_CREDITS, 0])('a CreditMemory with arrays of %i credits', (arrayCredits) => {
  it('hands out blocks of zeros that do not overlap, whatever was given back before', () => {
    const random = new SeededRandom(7);
    const memory = new CreditMemory(arrayCredits);
    const taken: Taken[] = [];
    for (let mark = 1; mark <= 200; mark++) {
      const capacity = 8 << (random.uint32() % 9);
      const block = memory.take(capacity);
      expect(contents(block, capacity)).toEqual(new Set([0]));
      taken.push({ block, capacity, mark });
      fill(taken[taken.length - 1]);
      if (random.next() > 0.5) continue;
      const [old] = taken.splice(random.uint32() % taken.length, 1);
      memory.give(old.block, old.capacity);
    }
    for (const { block, capacity, mark } of taken) expect(contents(block, capacity)).toEqual(new Set([mark]));
  });
});

it('puts many blocks into one array, and uses those again that were given back', () => {
  const memory = new CreditMemory(ARRAY_CREDITS);
  const blocks = Array.from({ length: 128 }, () => memory.take(8));
  const arrays = new Set(blocks.map(({ sentNs }) => sentNs));
  for (const block of blocks) memory.give(block, 8);
  for (let index = 0; index < 128; index++) arrays.add(memory.take(8).sentNs);
  expect(arrays.size).toBe(1);
});

it('takes back what a ledger outgrows, and all of it when the flow is closed', () => {
  const memory = new CreditMemory(ARRAY_CREDITS);
  const arrays = new Set<Float64Array>();
  for (let flow = 0; flow < 100; flow++) {
    const ledger = new CreditLedger({ firstSequence: 0, maxOutstanding: 512 }, undefined, memory);
    for (let credit = 0; credit < 512; credit++) ledger.send(credit);
    ledger.letGo();
    const block = memory.take(512);
    arrays.add(block.sentNs);
    memory.give(block, 512);
  }
  expect(arrays.size).toBe(1);
});
