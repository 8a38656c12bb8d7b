import { expect, it } from 'vitest';
import {
  EndpointPlace,
  FlowPlace,
  FlowRecords,
  ownRecord,
  RECORD_DOUBLES,
  ReceiverPlace,
  type ReceiverRecord,
  SenderPlace,
  type SenderRecord,
} from '../../src/core/flow-record.js';
import { SCHEDULE_NUMBERS } from '../../src/core/flow-schedule.js';

it.each([
  ['sender', SenderPlace],
  ['receiver', ReceiverPlace],
])("gives each field of a %s's record a place of its own in two cache lines", (_side, table) => {
  const places = Object.values(table);
  expect(new Set(places).size).toBe(places.length);
  for (const place of places) expect(place).toBeLessThan(RECORD_DOUBLES);
  expect(RECORD_DOUBLES * Float64Array.BYTES_PER_ELEMENT).toBe(2 * 64);
  expect(table).toMatchObject(FlowPlace);
});

it("keeps the schedules and the numbers of an endpoint's record apart", () => {
  const { creditNs, timerNs, clockNs, timerSlackNs } = EndpointPlace;
  const schedules = [creditNs, timerNs].flatMap((at) => Array.from({ length: SCHEDULE_NUMBERS }, (_, of) => at + of));
  const places = [...schedules, clockNs, timerSlackNs];
  expect(new Set(places).size).toBe(places.length);
  for (const place of places) expect(place).toBeLessThan(RECORD_DOUBLES);
});

it("refuses the other side's record", () => {
  const record: ReceiverRecord = ownRecord();
  // @ts-expect-error a part of the sender would write to places that mean something else here
  const taken: SenderRecord = record;
  expect(taken).toBe(record);
});

it('gives each flow numbers of its own, all zero', () => {
  const records = new FlowRecords();
  const taken = Array.from({ length: 100 }, () => records.take());
  taken.forEach(({ numbers, at }, index) => {
    const own = numbers.subarray(at, at + RECORD_DOUBLES);
    expect(new Set(own)).toEqual(new Set([0]));
    own.fill(index + 1);
  });
  taken.forEach(({ numbers, at }, index) => {
    expect(new Set(numbers.subarray(at, at + RECORD_DOUBLES))).toEqual(new Set([index + 1]));
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
  expect(Array.from(numbers.subarray(at))).toEqual(new Array(RECORD_DOUBLES).fill(0));
});
