import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowTable } from '../../src/core/flow-table.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

describe('the flow table', () => {
  it('tells flows apart by peer and by id', () => {
    const table = new FlowTable();
    table.set(1, 7, 10);
    table.set(2, 7, 20);
    table.set(1, 8, 30);
    expect([table.get(1, 7), table.get(2, 7), table.get(1, 8), table.get(2, 8)]).toEqual([10, 20, 30, -1]);
  });

  it('replaces what has the same name', () => {
    const table = new FlowTable();
    table.set(1, 7, 10);
    table.set(1, 7, 11);
    expect([table.size, table.get(1, 7)]).toEqual([1, 11]);
  });

  it('holds many flows with ids of all sizes', () => {
    const table = new FlowTable();
    for (let flow = 0; flow < 10_000; flow++) table.set(flow % 3, (flow * 2_654_435_761) >>> 0, flow);
    expect(table.size).toBe(10_000);
    for (let flow = 0; flow < 10_000; flow++) expect(table.get(flow % 3, (flow * 2_654_435_761) >>> 0)).toBe(flow);
  });

  it('agrees with a Map, also where flows collide and go', () => {
    // Few peers and ids that are multiples of a large power of two share their low bits.
    const id = fc.oneof(
      fc.nat(40),
      fc.nat(40).map((number) => (number << 26) >>> 0),
    );
    const step = fc.tuple(fc.constantFrom('set', 'set', 'delete'), fc.nat(3), id, fc.nat(1_000));
    holds(fc.array(step, { maxLength: 400 }), 200, (steps) => {
      const table = new FlowTable();
      const model = new Map<string, number>();
      for (const [kind, peer, id, slot] of steps) {
        if (kind === 'set') {
          table.set(peer, id, slot);
          model.set(`${peer}/${id}`, slot);
        } else {
          table.delete(peer, id);
          model.delete(`${peer}/${id}`);
        }
        expect(table.size).toBe(model.size);
        expect(table.get(peer, id)).toBe(model.get(`${peer}/${id}`) ?? -1);
      }
      for (const [name, slot] of model) {
        const [peer, id] = name.split('/').map(Number);
        expect(table.get(peer, id)).toBe(slot);
      }
    });
  });

  it('has no ids that meet in one chain for who does not know its key', () => {
    // Ids that met in one place under the hash without a key, at every capacity up to 2^16.
    const ids = [...Array(4_096).keys()].map(meetingId);
    const without = ids.map((id) => oldHome(1, id) & 0xffff);
    expect(new Set(without).size).toBe(1);
    for (const seed of [1, 0x1234_5678, 0xdead_beef, 0xffff_ffff]) {
      const table = new FlowTable(seed);
      for (const [slot, id] of ids.entries()) table.set(1, id, slot);
      const probes = ids.map((id) => table.probesFor(1, id));
      expect(probes.reduce((sum, count) => sum + count, 0) / ids.length, `seed ${seed}`).toBeLessThan(2);
      // Half full with linear probing: the longest of 4,096 is some 30.
      expect(Math.max(...probes), `seed ${seed}`).toBeLessThan(100);
      expect(ids.map((id) => table.get(1, id))).toEqual([...ids.keys()]);
    }
  });

  it.each([0, 1, 5, 9, 20, 24, 31])('parts ids that differ in their bits from %i on alone', (shift) => {
    const ids = [...new Set([...Array(1_024).keys()].map((number) => (number << shift) >>> 0))];
    const table = new FlowTable(0x9e37_0001);
    for (const [slot, id] of ids.entries()) table.set(1, id, slot);
    expect(Math.max(...ids.map((id) => table.probesFor(1, id)))).toBeLessThan(100);
  });
});

/** The hash as it was: `mixed ^ (mixed >>> 15)` of a product with a constant. */
const MULTIPLIER = 0x85ebca6b;
const oldHome = (peer: number, id: number): number => {
  const mixed = Math.imul(id ^ Math.imul(peer, 0x9e3779b1), MULTIPLIER);
  return mixed ^ (mixed >>> 15);
};

/** A product whose upper bits are `number` and whose lower ones cancel out, and from it the id. */
function meetingId(number: number): number {
  const upper = number << 20;
  let mixed = upper;
  for (let bit = 15; bit >= 0; bit--) {
    const above = ((upper | mixed) >>> (bit + 15)) & 1;
    mixed = (mixed & ~(1 << bit)) | (above << bit);
  }
  return (Math.imul(mixed, inverse(MULTIPLIER)) ^ Math.imul(1, 0x9e3779b1)) >>> 0;
}

/** Modulo 2^32, by Newton's iteration. */
function inverse(odd: number): number {
  let result = odd;
  for (let step = 0; step < 5; step++) result = Math.imul(result, 2 - Math.imul(odd, result));
  return result;
}
