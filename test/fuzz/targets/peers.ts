import { PeerTable } from '../../../src/udp/peer-table.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';

const CAPACITY = 300;
const SILENT_NS = 60e9;

/** Datagrams from any addresses: a number is its address's as long as somebody holds it, and the table holds no more than it may. */
export const peers: Target = {
  name: 'peers',
  seeds: () => [
    Uint8Array.from([1, 0, 1, 0, 0, 1, 0, 2, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 2, 0, 2]),
    Uint8Array.from([...Array.from({ length: 400 }, (_, at) => [1, 0, at, 0, at >> 3]).flat()]),
  ],
  run: (data) => {
    const input = new Input(data);
    const table = new PeerTable({ capacity: CAPACITY, silentNs: SILENT_NS });
    const held = new Map<string, number>();
    let nowNs = 0;
    while (!input.isOver) {
      nowNs += input.below(16) === 0 ? input.u16() * 1e7 : 1_000;
      const [address, port] = [`10.0.${input.below(2)}.${input.u8()}`, input.pick([1, 2, 65_535])];
      const key = `${address}:${port}`;
      const number = table.number(address, port, nowNs);
      must(table.size <= CAPACITY, `${table.size} peers`);
      must(held.get(key) === undefined || number === held.get(key), `${key} is held and has a new number`);
      if (number === 0) continue;
      must(table.has(number) && table.address(number) === address && table.port(number) === port, `${key} is mistaken`);
      const what = input.below(4);
      if (what === 0) letGo(table, held, key);
      else if (what === 1) hold(table, held, { key, number });
      else if (what === 2) table.keep(number);
    }
    for (const number of held.values()) must(table.isHeld(number), `${number} is forgotten, though held`);
  },
};

function hold(table: PeerTable, held: Map<string, number>, { key, number }: { key: string; number: number }): void {
  if (held.has(key)) return;
  table.hold(number);
  held.set(key, number);
}

function letGo(table: PeerTable, held: Map<string, number>, key: string): void {
  const number = held.get(key);
  if (number === undefined) return;
  table.release(number);
  held.delete(key);
  must(!table.isHeld(number), `${key} was held once, and is held still`);
}
