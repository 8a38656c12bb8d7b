import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowTable } from '../../src/core/flow-table.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

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
});
