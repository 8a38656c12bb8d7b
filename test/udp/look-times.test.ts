import { describe, expect, it } from 'vitest';
import { LookTimes } from '../../src/udp/look-times.js';

const MS = 1e6;

function bench() {
  const loop = { idle: 0 };
  return { loop, looks: new LookTimes(() => loop.idle) };
}

describe('LookTimes', () => {
  it('takes a datagram that woke an idle loop for one that has just come', () => {
    const { loop, looks } = bench();
    looks.looked(1 * MS);
    loop.idle = 5 * MS;
    looks.begin(6 * MS);
    expect(looks.waitedNs(6 * MS)).toBe(0);
  });

  it('leaves out of it what the loop was idle, before or after it was busy', () => {
    const { loop, looks } = bench();
    looks.looked(1 * MS);
    loop.idle = 2 * MS;
    looks.begin(9 * MS);
    expect(looks.waitedNs(9 * MS)).toBe(3 * MS);
  });

  it('takes half of the time since the last look for what was found after a busy time', () => {
    const { loop, looks } = bench();
    loop.idle = 6 * MS;
    looks.begin(6 * MS);
    looks.looked(6 * MS);
    looks.begin(10 * MS);
    expect(looks.waitedNs(10 * MS)).toBe(2 * MS);
    // Handled while the first kept the loop for a millisecond.
    expect(looks.waitedNs(11 * MS)).toBe(2.5 * MS);
    looks.looked(11 * MS);
    looks.begin(12 * MS);
    expect(looks.waitedNs(12 * MS)).toBe(0.5 * MS);
  });

  it('never goes back to an earlier look', () => {
    const { looks } = bench();
    looks.looked(5 * MS);
    looks.looked(4 * MS);
    looks.begin(6 * MS);
    expect(looks.waitedNs(6 * MS)).toBe(0.5 * MS);
    expect(looks.waitedNs(1 * MS)).toBe(0);
  });

  it('does not ask whether the loop was idle where that hardly matters', () => {
    let asked = 0;
    const looks = new LookTimes(() => {
      asked++;
      return 0;
    });
    looks.looked(1 * MS);
    looks.begin(1 * MS + 40_000);
    expect(asked).toBe(0);
    looks.begin(1 * MS + 60_000);
    expect(asked).toBe(1);
  });
});
