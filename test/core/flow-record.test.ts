import { expect, it } from 'vitest';
import { FlowRecords, Hot, ownRecord } from '../../src/core/flow-record.js';

it('gives each flow numbers of its own, all zero', () => {
  const records = new FlowRecords();
  const taken = Array.from({ length: 100 }, () => records.take());
  taken.forEach(({ numbers, at }, index) => {
    for (const place of Object.values(Hot)) {
      expect(numbers[at + place] === 0 || numbers[at + place] === index + 1).toBe(true);
      numbers[at + place] = index + 1;
    }
  });
  taken.forEach(({ numbers, at }, index) => {
    for (const place of Object.values(Hot)) expect(numbers[at + place]).toBe(index + 1);
  });
});

it('begins small, and then puts many flows into one array', () => {
  const records = new FlowRecords();
  expect(records.take().numbers.byteLength).toBeLessThan(512);
  const arrays = new Set(Array.from({ length: 320 }, () => records.take().numbers));
  expect(arrays.size).toBeLessThan(16);
});

it("has a record that is nobody else's for a part that stands alone", () => {
  const { numbers, at } = ownRecord();
  for (const place of Object.values(Hot)) expect(numbers[at + place]).toBe(0);
});
