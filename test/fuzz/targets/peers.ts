import { PeerTable } from '../../../src/udp/peer-table.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';

const CAPACITY = 300;
const SILENT_NS = 60e9;

/** Datagrams from any addresses: a number is its address's as long as it is heard of, and the table holds no more than it may. */
export const peers: Target = {
  name: 'peers',
  seeds: () => [
    Uint8Array.from([0, 1, 2, 0, 1, 2, 1, 1, 3]),
    Uint8Array.from([...Array.from({ length: 400 }, (_, at) => [0, at, at >> 3]).flat()]),
  ],
  run: (data) => {
    const input = new Input(data);
    const table = new PeerTable({ capacity: CAPACITY, silentNs: SILENT_NS });
    const heard = new Map<string, { number: number; atNs: number }>();
    let nowNs = 0;
    while (!input.isOver) {
      nowNs += input.below(16) === 0 ? input.u16() * 1e7 : 1_000;
      const [address, port] = [`10.0.${input.below(2)}.${input.u8()}`, input.pick([1, 2, 65_535])];
      const key = `${address}:${port}`;
      const number = table.number(address, port, nowNs);
      must(table.size <= CAPACITY, `${table.size} peers`);
      const before = heard.get(key);
      // Nobody forgets who was heard within a second.
      if (before !== undefined && nowNs - before.atNs < 1e9) must(number === before.number, `${key} has a new number`);
      if (number === 0) continue;
      must(table.has(number) && table.address(number) === address && table.port(number) === port, `${key} is mistaken`);
      heard.set(key, { number, atNs: nowNs });
      if (input.below(2) === 0) table.markAnswered(number);
    }
  },
};
