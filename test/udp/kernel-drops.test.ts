import { describe, expect, it } from 'vitest';
import { KernelDrops, parseUdpTable } from '../../src/udp/kernel-drops.js';

const HEADING =
  '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops';
const row = (port: number, inode: number, drops: number) =>
  ` 1234: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 ${inode} 2 0000000000000000 ${drops}`;
const table = (...rows: string[]) => [HEADING, ...rows, ''].join('\n');

describe('parseUdpTable', () => {
  it('reads port, inode and drops', () => {
    expect(parseUdpTable(table(row(9000, 77, 5), row(53, 1, 0)))).toEqual([
      { port: 9000, inode: '77', drops: 5 },
      { port: 53, inode: '1', drops: 0 },
    ]);
  });

  it('leaves out what it cannot read', () => {
    expect(parseUdpTable('')).toEqual([]);
    expect(parseUdpTable(table('nonsense', ' 1: zz 1 2 3'))).toEqual([]);
    expect(parseUdpTable('sl local_address rem_address\n 1: 0100007F:0035 0')).toEqual([]);
  });
});

describe('KernelDrops', () => {
  it('adds up the drops of its own sockets, not of others on the same ports', () => {
    const rows = [row(9000, 1, 5), row(9000, 2, 70), row(9001, 3, 2), row(9002, 4, 100)];
    const drops = new KernelDrops([9000, 9001], {
      tables: () => [table(...rows)],
      socketInodes: () => new Set(['1', '3', '4']),
    });
    expect(drops.read()).toBe(7);
    rows[0] = row(9000, 1, 9);
    expect(drops.read()).toBe(11);
  });

  it('knows nothing where the system has no such tables', () => {
    const missing = () => {
      throw new Error('ENOENT');
    };
    expect(new KernelDrops([9000], { tables: missing, socketInodes: () => new Set(['1']) }).read()).toBeNull();
    expect(new KernelDrops([9000], { tables: () => [], socketInodes: () => new Set(['1']) }).read()).toBeNull();
    const vanishing = { tables: () => [table(row(9000, 1, 5))], socketInodes: () => new Set(['1']) };
    const drops = new KernelDrops([9000], vanishing);
    vanishing.tables = missing;
    expect(drops.read()).toBeNull();
  });
});
