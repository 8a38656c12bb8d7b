import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../src/base/time.js';
import { PeerTable } from '../../src/udp/peer-table.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

describe('PeerTable', () => {
  it('gives one number to one address and port, from 1 upwards, and finds both by it', () => {
    const table = new PeerTable();
    expect(table.number('10.0.0.1', 5000, 0)).toBe(1);
    expect(table.number('10.0.0.1', 5001, 0)).toBe(2);
    expect(table.number('10.0.0.2', 5000, 0)).toBe(3);
    expect(table.number('::1', 5000, 0)).toBe(4);
    expect(table.number('10.0.0.1', 5000, 0)).toBe(1);
    expect([table.address(3), table.port(3)]).toEqual(['10.0.0.2', 5000]);
    expect([table.has(0), table.has(4), table.has(5), table.has(-1)]).toEqual([false, true, false, false]);
    expect(table.size).toBe(4);
  });

  it('has one source for all ports of an address and all addresses of a network of IPv6', () => {
    const table = new PeerTable();
    const sourceOf = (address: string, port: number) => table.sourceOf(table.number(address, port, 0));
    expect(sourceOf('10.0.0.1', 1)).toBe(sourceOf('10.0.0.1', 2));
    expect(sourceOf('10.0.0.1', 1)).not.toBe(sourceOf('10.0.0.2', 1));
    expect(sourceOf('2001:db8::1', 1)).toBe(sourceOf('2001:db8::2:0:0:1', 2));
    expect(sourceOf('2001:db8::1', 1)).not.toBe(sourceOf('2001:db8:0:1::1', 1));
  });

  it('agrees with a map over strings, whatever comes', () => {
    const address = fc.constantFrom('127.0.0.1', '127.0.0.10', '10.1.1.1', 'fe80::1%eth0', '::1');
    holds(fc.array(fc.tuple(address, fc.nat(400)), { maxLength: 1000 }), 50, (list) => {
      const table = new PeerTable({ strangers: 2_000 });
      const naive = new Map<string, number>();
      for (const [host, port] of list) {
        const key = `${host} ${port}`;
        if (!naive.has(key)) naive.set(key, naive.size + 1);
        expect(table.number(host, port, 0)).toBe(naive.get(key));
      }
    });
  });

  it('takes no more than its bound, and counts who is turned away', () => {
    const table = new PeerTable({ capacity: 100, strangers: 10 });
    for (let port = 1; port <= 100; port++) table.hold(table.number('10.0.0.1', port, 0));
    for (let port = 101; port <= 150; port++) table.number('10.0.0.1', port, 0);
    expect(table.size).toBe(100);
    expect(table.refused).toBe(50);
    expect(table.number('10.0.0.1', 100, 0)).toBe(100);
    expect(table.number('10.0.0.1', 101, 0)).toBe(0);
  });

  it('when full, forgets a peer that nobody holds and that was silent for long, and gives its number to the newcomer', () => {
    const table = new PeerTable({ capacity: 3, strangers: 2, silentNs: 60 * SECOND_NS });
    for (let port = 1; port <= 3; port++) table.keep(table.number('10.0.0.1', port, 0));
    table.number('10.0.0.1', 1, 50 * SECOND_NS);
    table.number('10.0.0.1', 3, 50 * SECOND_NS);
    expect(table.number('10.0.0.9', 9, 59 * SECOND_NS)).toBe(0);
    const newcomer = table.number('10.0.0.9', 9, 61 * SECOND_NS);
    expect(newcomer).toBe(2);
    table.keep(newcomer);
    expect([table.address(2), table.port(2)]).toEqual(['10.0.0.9', 9]);
    expect(table.number('10.0.0.1', 2, 61.5 * SECOND_NS)).toBe(0);
    expect(table.forgotten).toBe(1);
  });

  it('lets each stranger take the place of the one before it, so that a flood keeps nobody out', () => {
    const table = new PeerTable({ capacity: 1000, strangers: 100 });
    const friend = table.number('10.0.0.1', 1, 0);
    table.hold(friend);
    for (let port = 1; port <= 2000; port++) expect(table.number('10.6.6.6', port, 0)).toBeGreaterThan(0);
    const newcomer = table.number('10.0.0.2', 1, 0);
    table.hold(newcomer);
    for (let port = 1; port <= 2000; port++) table.number('10.6.6.7', port, 0);
    expect(table.number('10.0.0.1', 1, 0)).toBe(friend);
    expect(table.number('10.0.0.2', 1, 0)).toBe(newcomer);
    expect([table.size, table.refused]).toEqual([102, 0]);
  });

  it('finds every peer again after forgetting others in any order', () => {
    const events = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 0, max: 3 })), { maxLength: 400 });
    holds(events, 100, (list) => {
      const table = new PeerTable({ capacity: 20, strangers: 20, silentNs: 5 });
      const addresses = new Map<number, number>();
      list.forEach(([port, pauseNs], index) => {
        const nowNs = index * 1.5e9 + pauseNs;
        const number = table.number('10.0.0.1', port, nowNs);
        expect(number).toBeGreaterThan(0);
        addresses.set(number, port);
        for (const [known, knownPort] of addresses) expect(table.port(known)).toBe(knownPort);
        expect(table.number('10.0.0.1', port, nowNs)).toBe(number);
      });
    });
  });

  it('does not remember a forgotten peer as its latest one', () => {
    const table = new PeerTable({ capacity: 1 });
    expect(table.number('10.0.0.1', 1, 0)).toBe(1);
    expect(table.number('10.0.0.2', 2, 0)).toBe(1);
    expect(table.address(1)).toBe('10.0.0.2');
    expect(table.number('10.0.0.1', 1, 0)).toBe(1);
    expect(table.address(1)).toBe('10.0.0.1');
  });

  it('gives no number again while a flow holds it, however many newcomers come', () => {
    const table = new PeerTable({ silentNs: 60 * SECOND_NS });
    const held = table.number('10.0.0.1', 1, 0);
    table.hold(held);
    table.hold(held);
    table.release(held);
    // 66,000 addresses with one byte each, long after the held peer has fallen silent.
    for (let at = 0; at < 66_000; at++) table.number(`10.6.${at >> 8}.${at & 255}`, 1, (120 + at / 1e3) * SECOND_NS);
    expect([table.isHeld(held), table.address(held), table.port(held)]).toEqual([true, '10.0.0.1', 1]);
    expect(table.number('10.0.0.1', 1, 200 * SECOND_NS)).toBe(held);
  });

  it('lets strangers have a sixteenth of the table, so that a flood leaves room for those whom this host wants', () => {
    const table = new PeerTable({ capacity: 1600 });
    for (let port = 1; port <= 5_000; port++) table.number('10.6.6.6', port, 0);
    expect([table.size, table.refused]).toEqual([100, 0]);
    const wanted = table.number('10.0.0.1', 1, SECOND_NS);
    table.keep(wanted);
    for (let port = 1; port <= 100; port++) table.hold(table.number('10.6.6.7', port, (1 + port) * SECOND_NS));
    expect([table.size, table.address(wanted)]).toEqual([200, '10.0.0.1']);
  });

  it('gives a number again once it is released and its peer has been silent for long', () => {
    const table = new PeerTable({ capacity: 2, strangers: 1, silentNs: 60 * SECOND_NS });
    const first = table.number('10.0.0.1', 1, 0);
    table.hold(first);
    table.hold(table.number('10.0.0.2', 1, 0));
    expect(table.number('10.0.0.3', 1, 100 * SECOND_NS)).toBe(0);
    table.release(first);
    expect(table.number('10.0.0.1', 1, 101 * SECOND_NS)).toBe(first);
    expect(table.number('10.0.0.3', 1, 160 * SECOND_NS)).toBe(0);
    expect(table.number('10.0.0.3', 1, 161 * SECOND_NS)).toBe(first);
    expect(table.address(first)).toBe('10.0.0.3');
  });

  it('takes a release of what nobody holds for nothing', () => {
    const table = new PeerTable();
    table.hold(7);
    table.release(7);
    const number = table.number('10.0.0.1', 1, 0);
    table.release(number);
    expect(table.isHeld(number)).toBe(false);
  });
});
